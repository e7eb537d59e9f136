"""The state of a session is looked for where a summary has a place for it, or may tell of a failure that is over."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.work.state import KnownState, known_state
from compactor_cli.pipeline import write_summaries
from tests.pipeline.sessions import Json, assistant, compact, result, system, user

GOES_WELL = "All rows of the ledger were written to the report, one line for each of them. " * 8
FAILS = 'Traceback (most recent call last):\n  File "ledger.py", line 3, in <module>\nValueError: no such row\n' * 3
PASSES_LATER = [assistant("Once more.", ("last", "Bash", {"command": "python ledger.py"})), result("last", "done")]


def session(said: str) -> list[Json]:
    records = [system(), user("Write the report from the ledger.")]
    for number in range(12):
        command = "python ledger.py" if number == 0 else f"python report_{number}.py"
        records.append(assistant(f"I write part {number} of it.", (f"call_{number}", "Bash", {"command": command})))
        records.append(result(f"call_{number}", said if number == 0 else GOES_WELL))
    return [*records, *PASSES_LATER]


@pytest.mark.parametrize(
    ("strategy", "said", "times"),
    [("tiered", GOES_WELL, 0), ("tiered", FAILS, 1), ("rolling", GOES_WELL, 1), ("hybrid", GOES_WELL, 0)],
)
def test_the_state_is_looked_for_only_where_a_summary_may_tell_of_it(
    strategy: str, said: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    def finding(*given: Any) -> KnownState:
        found.append(given)
        return known_state(*given)

    monkeypatch.setattr(write_summaries, "known_state", finding)
    part = compact(session(said), strategy=strategy, target_ratio=0.3)
    assert any(message.origin == "summary" for message in part.messages)
    assert len(found) == times
