"""What the newest request names is shown where it is defined, though the request itself has the name."""

from __future__ import annotations

import pytest

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


def test_of_a_name_that_a_search_and_a_file_show_alike_one_line_is_shown_and_one_of_another_result() -> None:
    """Numbers of lines do not make them two."""
    calls = f"    return {NAME}(orders, queue)"
    records = session(f"Remove `{NAME}`.")
    found = [
        (assistant(None, ("g", "Grep", {"pattern": NAME})), result("g", f"21:def {NAME}(orders, queue):")),
        (
            assistant(None, ("c", "Read", {"path": "shop/close.py"})),
            result("c", f"7→def close(orders, queue):\n8→{calls}"),
        ),
    ]
    records[-1:-1] = [record for pair in found for record in pair]
    text = "\n".join(m.text() for m in compact(records, strategy="adaptive", target_ratio=0.25).messages)
    assert f"def {NAME}(orders, queue):" in text
    assert calls.strip() in text


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
