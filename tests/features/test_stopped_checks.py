"""Checks that were stopped as they took too long."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

_TOO_LONG = "Command timed out after 120.0 seconds"


def _checks(*runs: tuple[str, str]) -> list[str]:
    session = Session()
    for command, said in runs:
        session.runs(command, said)
    return session.texts("check")


def test_a_check_that_took_too_long_has_not_passed() -> None:
    assert _checks(("pytest -q", "20 passed"), ("pytest -q", _TOO_LONG)) == []


def test_what_failed_before_is_still_told() -> None:
    failed = f"{FAILS}FAILED test_a.py::test_b - assert 1 == 2\n1 failed"
    assert "test_a.py::test_b" in _checks(("pytest -q", failed), ("pytest -q", _TOO_LONG))[0]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("sleep 500", _TOO_LONG),
        ("pytest -q", "Command running in background with ID: b1"),
        ("pytest -q", "The user doesn't want to proceed with this tool use."),
        ("pytest -q", "Command was interrupted"),
        ("pytest -q", "test_timed_out ... ok\n21 passed"),
    ],
)
def test_other_ends_leave_what_passed(command: str, said: str) -> None:
    assert _checks(("pytest -q", "20 passed"), (command, said)) == ["passed: pytest -q"]
