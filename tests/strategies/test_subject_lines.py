"""What the newest request names is shown where it is defined, though the request itself has the name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from compactor_cli.strategies.adaptive.subject_lines import named_lines, work_lines
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, result, user

NAME = "publish_receipts_of"
FILES = 14


def code(number: int, *, defines: bool) -> str:
    lines = [f"def step_{number}_{n}(order):\n    return order.state_{number}_{n} + {n}\n" for n in range(40)]
    if defines:
        lines[20] = f"def {NAME}(orders, queue):\n    return [queue.put(order) for order in orders]\n"
    return "\n".join(lines)


def session(asks: str) -> list[Json]:
    records: list[Json] = [user("Read the steps of the shop.")]
    for n in range(FILES):
        path = f"shop/steps_{n}.py"
        records += [assistant(None, (f"r{n}", "Read", {"path": path})), result(f"r{n}", code(n, defines=n == 1))]
    return [*records, assistant("I have read them."), user(asks)]


@pytest.mark.parametrize(("asks", "shown"), [(f"Remove `{NAME}`.", True), ("Remove what nobody calls.", False)])
def test_the_line_that_defines_a_name_of_the_newest_request_is_shown(asks: str, shown: bool) -> None:
    part = compact(session(asks), strategy="adaptive", target_ratio=0.25)
    assert part.tokens > 1_500
    assert (f"def {NAME}(orders, queue):" in "\n".join(m.text() for m in part.messages)) == shown


def test_a_name_inside_of_another_is_another() -> None:
    part = compact(session("Remove `publish_receipts`."), strategy="adaptive", target_ratio=0.25)
    assert f"def {NAME}" not in "\n".join(m.text() for m in part.messages)


def lines_of(found: Callable[..., Iterable[list[int]]], *records: Json) -> list[str]:
    told = Told(*records)
    return [told.lines.text(line) for own in found(told.messages, told.lines, 9_000.0) for line in own]


def test_of_a_name_that_a_search_and_a_file_show_alike_one_line_is_told_and_one_of_another_result() -> None:
    """Numbers of lines do not make them two."""
    reads = [
        f"def {NAME}(orders, queue):",
        f"    log.info('{NAME} begins')",
        f"def test_{NAME}():",
        f"    {NAME}([], q)",
    ]
    numbered = "\n".join(
        f"{n}→{line}" + "  # of the shop, and of nothing else at all" * 2 for n, line in enumerate(reads, 21)
    )
    found = f"shop/steps.py:21:{reads[0]}" + "  # of the shop, and of nothing else at all" * 2
    assert lines_of(
        named_lines,
        user("Read it."),
        assistant(None, ("r", "Read", {"path": "shop/steps.py"})),
        result("r", numbered),
        assistant(None, ("g", "Grep", {"pattern": NAME})),
        result("g", found),
        assistant(None, ("c", "Read", {"path": "shop/close.py"})),
        result("c", f"7→    return {NAME}(orders, queue)"),
        user(f"Remove `{NAME}`."),
    ) == [found, f"7→    return {NAME}(orders, queue)"]


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
