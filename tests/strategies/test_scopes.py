"""Lines of code are quoted below the beginning of their own function, and that below its class."""

from __future__ import annotations

import re

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result, user

CLASSES, METHODS = 8, 9


def code() -> str:
    lines: list[str] = []
    for store in range(CLASSES):
        lines.append(f"class Store{store}(Base):")
        for method in range(METHODS):
            lines += [
                f"    def method_{store}_{method}(self, order: Order, retries: int = {method}) -> Receipt:",
                "        if order.is_empty():",
                "            return Receipt.empty()",
                f"        path = self.folder / 'receipts_{store}_{method}.json'",
                "        for attempt in range(retries):",
                f"            self.publish(path, attempt, queue='queue-{store}-{method}')",
                "        return Receipt.of(order)",
                "",
            ]
    return "\n".join(lines)


def session() -> list[Json]:
    records = [user("Find out which receipts are published to which queue.")]
    records += [assistant("I read the file.", ("r", "Read", {"path": "stores.py"})), result("r", code())]
    for n in range(12):
        store, method = n * 3 % CLASSES, n * 5 % METHODS
        name = f"receipts_{store}_{method}.json" if n % 2 else f"queue-{store}-{method}"
        records += [
            assistant(None, (f"c{n}", "Bash", {"command": f"cat out/{name}"})),
            result(f"c{n}", f"{n} entries"),
        ]
    return records


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
def test_a_line_stands_below_its_own_function_and_class(strategy: str) -> None:
    told = 0
    for ratio in (0.3, 0.4, 0.5):
        part = compact(session(), strategy=strategy, target_ratio=ratio)
        shown = "\n".join(m.text() for m in part.messages)
        for line in re.finditer(r"(?:receipts_|queue='queue-)(\d)[_-](\d)(?:\.json'$|'\)$)", shown, re.MULTILINE):
            before = shown[: line.start()]
            assert re.findall(r"def (method_\w+)", before)[-1:] == [f"method_{line[1]}_{line[2]}"]
            assert re.findall(r"class (\w+)", before)[-1:] == [f"Store{line[1]}"]
            told += 1
    assert told > 2
