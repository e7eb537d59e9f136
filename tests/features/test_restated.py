"""What people say anew, in any words, is paired with what they said before of the same."""

from __future__ import annotations

import pytest

from compactor_cli.features.restated import restated_pairs
from compactor_cli.features.talk import Statement

IDLE = [
    "The lift is out of order again, so I took the stairs.",
    "My sister has bought a tuba, and the neighbours know it.",
    "There is cake in the kitchen, somebody has turned fifty.",
    "I watched the rain for a while.",
]


def pairs(older: str, newer: str, *, values: tuple[float, float] = (0.9, 0.6), speaker: str = "user") -> bool:
    said = [Statement(0, "user", older)]
    said += [Statement(at + 1, "user", text) for at, text in enumerate(IDLE)]
    said.append(Statement(len(said), speaker, newer))
    likely = [values[0], *(0.3 for _ in IDLE), values[1]]
    return (0, len(said) - 1) in list(restated_pairs(said, likely))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We have 12 workers.", "I looked it up, we have 16 workers and not 12."),
        ("Grandpa comes on Friday.", "Grandpa comes on Saturday after all, his train was cancelled."),
        ("La réunion est à 14 h.", "En fait, la réunion est à 16 h 30."),
        ("Встреча в десять.", "Нет, встреча перенесена на половину двенадцатого."),
        ("会議は10時からです。", "すみません、会議は11時半からに変わりました。"),
        ("Spotkanie jest w środę.", "Jednak spotkanie będzie w piątek, bo Ola wyjeżdża."),
        ("O almoço é no sábado.", "Mudou, o almoço vai ser na sexta à noite."),
        ("Paint the door green.", "Forget green for the door, the landlord wants it white."),
        ("shipping is 4.90 flat inside germany and 12.50 elsewhere", "ok, shipping inside germany is 5.50 now"),
    ],
)
def test_what_is_said_of_the_same_is_said_anew(older: str, newer: str) -> None:
    assert pairs(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We have 12 workers.", "The printer has 16 trays and not 12."),
        ("Grandpa comes to us on Friday with Ines.", "The parcel with the lamp comes on Saturday after all."),
        ("Leave the keys for the shed with Omar.", "Omar has a new bicycle from Utrecht."),
        ("Il cane mangia alle sette.", "Vado al mare con gli amici alle otto."),
    ],
)
def test_what_is_said_of_something_else_is_not(older: str, newer: str) -> None:
    assert not pairs(older, newer)


def test_idle_words_put_nothing_right_and_nobody_speaks_for_another() -> None:
    older, newer = "We have 12 workers.", "Some workers sang on the bus."
    assert pairs(older, newer)
    assert not pairs(older, newer, values=(0.9, 0.1))
    assert not pairs(older, newer, values=(0.05, 0.1))
    assert not pairs(older, newer, speaker="assistant")
    older, newer = "The lunch with Ines is on Monday.", "At the end of the lunch everybody sang songs."
    assert pairs(older, newer, values=(0.9, 0.5))
    assert not pairs(older, newer, values=(0.9, 0.3))


def test_a_few_words_on_the_same_put_it_right_though_nobody_seems_to_need_them() -> None:
    older, newer = "Please order the blue curtains.", "I slept on it: the green curtains, please."
    assert pairs(older, newer, values=(0.9, 0.15))
    assert not pairs(older, newer, values=(0.9, 0.1))
    assert not pairs(older, "In all the rooms here the sun fades curtains and carpets.", values=(0.9, 0.15))


@pytest.mark.parametrize(
    ("older", "newer", "corrects"),
    [
        ("The museum opens at 9.", "I called them, the museum opens at 10.", True),
        ("The museum opens on Monday.", "I called them, the museum opens on Tuesday.", True),
        ("The museum opens at 9.", "Then we are at the museum when it opens, at 9.", False),
        ("The museum opens at 9.", "The museum sounds lovely.", False),
    ],
)
def test_the_user_puts_right_what_the_agent_told(older: str, newer: str, *, corrects: bool) -> None:
    said = [Statement(0, "assistant", older)]
    said += [Statement(at + 1, "user", text) for at, text in enumerate(IDLE)]
    said.append(Statement(len(said), "user", newer))
    assert ((0, len(said) - 1) in restated_pairs(said, [0.9] * len(said))) is corrects


def test_people_put_right_a_figure_that_they_have_just_said_with_fewer_words_of_it() -> None:
    older = "my goal is to run it in less than two hours, with the club in the valley"
    newer = "well, rather 2 hours 10, let's stay realistic"
    said = [Statement(0, "user", older), Statement(1, "assistant", "That asks a lot."), Statement(2, "user", newer)]
    assert list(restated_pairs(said, [0.9, 0.1, 0.5])) == [(0, 2)]
    apart = [said[0], *(Statement(at + 1, "user", text) for at, text in enumerate(IDLE)), Statement(9, "user", newer)]
    assert list(restated_pairs(apart, [0.9, 0.3, 0.3, 0.3, 0.3, 0.5])) == []
