"""What the agent speaks of most since the newest request is shown in each result."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from compactor_cli.strategies.adaptive.subject_lines import work_lines
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, result, user


def lines_of(found: Callable[..., Iterable[list[int]]], *records: Json) -> list[str]:
    told = Told(*records)
    return [told.lines.text(line) for own in found(told.messages, told.lines, 9_000.0) for line in own]


SAYS = "I look where `receipt_queue` is used."
USES = [
    f"receipt_queue.put(order)  # {'of the shop by night, ' * 5}too",
    f"class receipt_queue:  # {'of the shop, ' * 9}too",
]


@pytest.mark.parametrize(
    ("asked", "said", "told"),
    [
        (user("Rename it."), SAYS, [USES[1], USES[0]]),
        (
            result("q", 'User has answered your questions: "Which?"="Rename it". You can now continue'),
            SAYS,
            [USES[1], USES[0]],
        ),
        (user("Rename it."), "I look where it is used.", []),
        (user("Rename `receipt_queue`."), "I look where it is used.", [USES[1], USES[0]]),
    ],
)
def test_what_the_agent_speaks_of_is_told_once_of_each_result_the_definition_first(
    asked: Json, said: str, told: list[str]
) -> None:
    records = [user("Mend the shop."), assistant(None, ("q", "AskUserQuestion", {"question": "Which?"})), asked]
    for n in range(2):  # the same file, twice
        records += [assistant(said, (f"r{n}", "Read", {"path": "a.py"})), result(f"r{n}", "\n".join(USES))]
    assert lines_of(work_lines, *records) == told
    small = Told(*records)
    assert list(work_lines(small.messages, small.lines, 1_400.0)) == []


def test_names_that_were_asked_for_come_first_and_a_second_line_of_a_result_last() -> None:
    text = "  # of the harbour in the north, of its gates, of its cranes and of all of its pilots too, by day and night"
    code = [f"use({name}, {n}){text}" for n in range(3) for name in ("tide_of_gate", "level_of_gate")]
    found = lines_of(
        work_lines,
        user("Mend `level_of_gate`."),
        assistant("I see `tide_of_gate`.", "a"),
        result("a", "\n".join(code)),
        assistant("And `tide_of_gate` again.", "b"),
        result("b", "\n".join(code[2:])),
    )
    assert found == [code[3], code[1], code[2], code[0], code[5], code[4]]


WORKED_ON = "receipt_queue"


def reading(said: str, files: int = 10) -> list[Json]:
    """A session in which the agent reads files since the request, and then says what it will change."""
    records: list[Json] = [user("Rename it, as you said.")]
    for n in range(files):
        code = [f"def step_{n}_{at}(order):\n    return order.state_{n}_{at} + {at}\n" for at in range(150)]
        code[17] = f"def put_{n}(order):\n    {WORKED_ON}.put(order, {n})\n"
        records += [
            assistant(said, (f"r{n}", "Read", {"path": f"shop/steps_{n}.py"})),
            result(f"r{n}", "\n".join(code)),
        ]
    return [*records, assistant(f"Now I rename `{WORKED_ON}` in all of them.", "next"), result("next", "ok")]


def uses_shown(said: str) -> int:
    part = compact(reading(said), strategy="adaptive", target_ratio=0.3)
    text = "\n".join(m.text() for m in part.messages)
    return sum(f"{WORKED_ON}.put(order, {n})" in text for n in range(10))


def test_each_result_shows_a_line_with_what_the_agent_speaks_of_most() -> None:
    assert uses_shown(f"I look where `{WORKED_ON}` is used.") >= 8
    assert uses_shown("I look where it is used.") <= 2
