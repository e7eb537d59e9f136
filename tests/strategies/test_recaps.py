"""What an agent notes down of several messages of a chat stays before what each of them says, unless it is refused."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive import recaps
from tests.builders import compact, jsonl
from tests.features.sessions import Told

OPENING = "Maren: The fair is on 14 June at Oakfield Green, 11:00 to 18:00. Please note what we decide."
ASKED = [
    "Maren: Then let us move to the weekend behind it. Can we open from 12:15 to 19:45 there?",
    "Priya: ok",
    "Sunniva: ok, but the music has to stop at 18:30, that stands in the licence",
]
NOTED = "Decided: **open 12:15 to 19:45**; music ends at 18:30 (licence). The gates close an hour later, at 20:45."
CHATTER = [
    ("Tobias: did you all see the photo of the swan in the library?", "Clearly researching its memoirs."),
    ("Priya: the printer of the parish is printing everything in magenta again", "Somebody ought to talk to it."),
    ("Henrik: my neighbour keeps talking about the weather of the last summer", "That was a dry one, yes."),
    ("Maren: the bakery at the corner has those almond rolls back, by the way", "Then the meeting is saved."),
]
REQUEST = "Maren: Good. Please write the call for helpers now, with all that we decided."


def turns(noted: str = NOTED, reply: str = "Maren: yes I will tell the council") -> list[tuple[str, str]]:
    said = [("user", OPENING), ("assistant", "Noted, I keep track.")]
    for chatter in (*CHATTER, *CHATTER[:2]):
        said += zip(("user", "assistant"), chatter, strict=True)
    said += [("user", text) for text in ASKED]
    said += [("assistant", noted), ("user", reply)]
    for chatter in CHATTER[::-1]:
        said += zip(("assistant", "user"), chatter[::-1], strict=True)
    return [*said, ("user", REQUEST)]


def records(said: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in said]


def found(said: list[tuple[str, str]]) -> list[str]:
    told = Told(*records(said))
    return [" ".join(map(told.lines.text, answer)) for answer in recaps.recaps(told.messages, told.lines) if answer]


@pytest.mark.parametrize("ratio", [0.3, 0.35, 0.4])
def test_what_was_noted_down_of_several_stays(ratio: float) -> None:
    (part,) = compact(jsonl(*records(turns())), target_ratio=ratio).parts
    assert "**open 12:15 to 19:45**; music ends at 18:30" in "\n".join(message.text() for message in part.messages)


def test_all_of_a_short_recap_that_tells_something_is_one() -> None:
    assert found(turns()) == [NOTED]


def test_of_a_long_recap_stays_what_it_notes_down() -> None:
    more = " ".join(f"The last fair had stand number {at} beside the fence of the old mill." for at in range(20, 32))
    (only,) = found(turns(f"{more}\n\n{NOTED}"))
    assert only.startswith("Decided")


@pytest.mark.parametrize(
    "noted",
    [
        "Noted: music ends at 18:30.",  # of one message
        "So that is 12:15 to 18:30?",  # asks, and tells nothing
        "Fine with me, I wrote it all down.",
        "The fair of last year was from 10:15 to 17:45.",
        "Noted: 1 change, 2 wishes.",
    ],
)
def test_what_notes_down_nothing_of_several_is_no_recap(noted: str) -> None:
    assert not found(turns(noted))


@pytest.mark.parametrize(
    "reply",
    [
        "Maren: No, the licence says 18:00",
        "no. it has to be earlier",
        "Nein, das geht nicht",
        "Maren: wait. On second thoughts we start earlier",
    ],
)
def test_a_recap_that_is_refused_is_none(reply: str) -> None:
    assert not found(turns(reply=reply))


@pytest.mark.parametrize(
    "reply", ["Maren: yes, noted", "I cannot come before noon", "Great! What about the north lane?"]
)
def test_other_replies_refuse_nothing(reply: str) -> None:
    assert found(turns(reply=reply)) == [NOTED]


def test_what_an_answer_had_before_is_not_noted_down_anew() -> None:
    said = turns()
    at = said.index(("assistant", NOTED))
    said[at + 2 : at + 2] = [("assistant", "So 12:15 to 19:45, and 18:30 for the music."), ("user", "Maren: right")]
    assert found(said) == [NOTED]


def test_a_late_recap_comes_first_and_one_of_many_messages() -> None:
    last = "So 27 tables, 48 chairs."
    later = [("user", "Olu: 27 tables"), ("user", "Ros: and 48 chairs"), ("assistant", last)]
    assert found([*later, *turns()]) == [NOTED, last]
    assert found([*turns()[:-1], *later, turns()[-1]]) == [last, NOTED]
    more = [("user", f"Henrik: I bring {at} lamps") for at in range(60, 66)]
    noted = "Henrik brings " + ", ".join(map(str, range(60, 66))) + " lamps."
    assert found([*turns()[:-1], *more, ("assistant", noted), *later, turns()[-1]]) == [noted, last, NOTED]
