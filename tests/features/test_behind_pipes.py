"""What the ledger says of a command whose output went through a filter."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.ledger import compute_ledger
from tests.features.working import Session

BROKEN = "src/theme.ts(5,15): error TS2305: no exported member"
FAILED, WELL = "exit code: 1", "exit code: 0"


@pytest.mark.parametrize(
    ("command", "said", "failed"),
    [
        ('npm run check 2>&1 | grep "error TS"', f"{BROKEN}\n{WELL}", True),
        ("npx tsgo -p . | grep -E error | head -5", f"{BROKEN}\n{WELL}", True),
        ("npm test 2>&1 | tail -5", f"Tests: 3 passed, 3 total\n{WELL}", False),
        ('npm run check 2>&1 | grep "error TS"', FAILED, None),  # it found no error
        ("npm run check | tee log", f"one line\n{WELL}", None),
        ("ls build | wc -l", f"3\n{WELL}", None),
        ("set -o pipefail; npm run check | tee log", f"one line\n{WELL}", False),
        ("cd /nowhere && ls | head", f"no such folder\n{FAILED}", True),
        ("npm run check | deploy --stdin", f"one line\n{WELL}", False),
        ("grep -c 'a|b' notes.txt", f"3\n{WELL}", False),
        ("npm run build || npm run clean", f"one line\n{WELL}", False),
    ],
)
def test_behind_a_filter_the_exit_code_says_nothing_of_the_command_before_it(command, said, failed):
    (fact,) = compute_ledger(Session().runs(command, said).messages).commands
    assert fact.failed is failed
