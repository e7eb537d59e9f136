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
