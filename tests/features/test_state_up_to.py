"""The state of what stands on messages up to one: what comes behind is looked at only while it can change that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compactor_cli.features.work import state as state_of
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.changed_files import touched_by
from compactor_cli.features.work.state import KnownState, known_state
from tests.features.working import FAILS, Session

_STATUS = "On branch main\nnothing to commit, working tree clean"
_FAILED = FAILS + "FAILED tests/test_tides.py::test_ebb\n1 failed in 0.1s"
_ERROR = "tides.py:3: error: Name ebb is not defined\nFound 1 error"
_TASK = {"content": "Mend the tides", "status": "pending"}
_DONE = {"status": "completed"}
_RUNS = "Command running in background with ID: b1"


def going_on(first: Callable[[Session], Session], late: Callable[[Session], Session]) -> Session:
    """A session that begins with something, goes on for long with other things, and comes back to the first one."""
    session = first(Session())
    for number in range(40):
        session.edits(f"tides_{number}.py").runs("pytest -q", "3 passed in 0.1s")
        session.runs(f"cat tides_{number}.py", "Exit code 1\ncat: no such file" if number % 3 else "tides")
    session.runs("git status", _STATUS).runs("git checkout -b tide", "Switched to a new branch 'tide'")
    return late(session)


def _mended(session: Session) -> Session:
    return session.runs("pytest -q", _FAILED).runs("pytest -q", "3 passed in 0.1s")


def told(known: KnownState, last: int) -> tuple[list[str], set[int]]:
    return [line.text for line in known.lines if line.message <= last], {n for n in known.resolved if n <= last}


@pytest.mark.parametrize(
    ("first", "late"),
    [
        (lambda s: s.answers("Let me see."), lambda s: s.answers("Done.")),
        (lambda s: s.runs("pytest -q", "3 passed"), lambda s: s.runs("pytest -q", _FAILED)),
        (lambda s: s.runs("ruff check", "All checks passed!"), lambda s: s.runs("ruff check", "All checks passed!")),
        (lambda s: s.runs("mypy .", FAILS + _ERROR), lambda s: s.runs("mypy .", "Success: no issues found")),
        (
            lambda s: s.runs("mypy .", FAILS + _ERROR).runs("mypy .", FAILS + _ERROR),
            lambda s: s.runs("mypy .", "Success: no issues found"),
        ),
        (lambda s: s.runs("harbor -x", FAILS + "harbor: no berth"), lambda s: s.runs("harbor -x", "3 berths")),
        (
            lambda s: s.runs("harbor -x", FAILS + "harbor: no berth").runs("harbor -x", FAILS + "harbor: no quay"),
            lambda s: s.runs("harbor -x", "3 berths"),
        ),
        (lambda s: s.edits("ebb.py"), lambda s: s.edits("ebb.py")),
        (lambda s: s.calls("TodoWrite", todos=[_TASK]), lambda s: s.calls("TodoWrite", todos=[_TASK | _DONE])),
        (lambda s: s.runs("serve", _RUNS), lambda s: s.calls("KillShell", "stopped", shell_id="b1")),
        (lambda s: s.runs("git push", FAILS + "! [rejected]"), lambda s: s.runs("git push", "To tide\n  1..2 x -> x")),
        (lambda s: s.runs("gh pr merge 3", "Merged"), lambda s: s.runs("gh pr merge 3", "Merged")),
    ],
)
def test_it_is_that_of_the_whole_session(
    first: Callable[[Session], Session], late: Callable[[Session], Session]
) -> None:
    messages = going_on(first, late).messages
    whole = known_state(messages)
    for last in (*range(12), *range(12, len(messages), 16)):
        assert told(known_state(messages, up_to=last), last) == told(whole, last)


def test_nothing_is_looked_at_that_can_change_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = going_on(_mended, lambda session: session).messages
    looked_at: list[ToolCall] = []

    def counted(call: ToolCall) -> tuple[list[tuple[str, str]], list[str]]:
        looked_at.append(call)
        return touched_by(call)

    monkeypatch.setattr(state_of, "touched_by", counted)
    known = known_state(messages, up_to=2)
    assert len(looked_at) < 8
    assert known.resolved == {2}
    assert told(known, 2) == ([], {2})
    looked_at.clear()
    assert told(known_state(messages), 2) == told(known, 2)
    assert len(looked_at) > 100
