"""Of an output that is cut, the row that differs from all others stays, with the header of its table."""

from __future__ import annotations

import json

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result
from tests.strategies import work

ODD = 141
STATE = "halb gar"
ROWS = [f"{'topf-' + str(n * 37 + 11):<14}  {STATE if n == ODD else 'gekocht'}  {n % 9}  min" for n in range(200)]
HEADER = f"{'NAME':<14}  ZUSTAND  ZEIT  EINHEIT"
RULE = f"{'-' * 14}  -------  ----  -------"


def shown(output: str, strategy: str, *behind: Json) -> str:
    asks = assistant(None, ("list1", "Bash", {"command": "kitchen list"}))
    part = compact([*work.session(12), asks, result("list1", output), *behind], strategy=strategy, target_tokens=900)
    return "\n".join(message.text() for message in part.messages)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "tiered"])
def test_the_row_that_differs_stays_of_the_newest_result(strategy: str) -> None:
    text = shown("\n".join([HEADER, RULE, *ROWS]), strategy)
    assert ROWS[ODD] in text
    assert ROWS[ODD - 40] not in text
    assert HEADER.split()[1] in text


def test_the_record_that_differs_stays_with_its_name() -> None:
    records = [{"topf": f"topf-{n * 37 + 11}", "zustand": STATE if n == ODD else "gekocht"} for n in range(200)]
    text = shown(json.dumps(records), "adaptive")
    assert STATE in text
    assert f"topf-{ODD * 37 + 11}" in text
    assert f"topf-{(ODD - 40) * 37 + 11}" not in text
