"""What is known of the state of a session while its calls are read, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

from msgspec import Struct, field

from compactor_cli.features.work.branches import Branches
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.changed_files import ChangedFiles
from compactor_cli.features.work.check_runs import CheckRuns
from compactor_cli.features.work.file_checks import ScriptRuns
from compactor_cli.features.work.git_steps import Commits
from compactor_cli.features.work.in_flight import UserCommand
from compactor_cli.features.work.open_errors import OpenErrors
from compactor_cli.features.work.overtaking import NewestActs, Records
from compactor_cli.features.work.shown_acts import ShownActs
from compactor_cli.features.work.task_lists import TaskList
from compactor_cli.features.work.undoing import Doings
from compactor_cli.summary_text.state_line import Kind, StateLine
from compactor_cli.text.patterns import compiled_later

_NAME = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""One word with a digit, which may be a name; a shorter one may stand for something else."""


class ToldBefore:
    """The results of a session's calls, looked through once, where a call leaves open what it made."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self._calls = calls

    def has(self, name: str, call: ToolCall) -> bool:
        """Return whether the result of another tool had a name first, before a call was made. Calls that failed tell
        nothing, and what the tool itself had told first is its own: done twice it would read as two things."""
        tool, message = self._first.get(name, (call.tool, call.begun))
        return tool != call.tool and message < call.begun

    @cached_property
    def _first(self) -> dict[str, tuple[str, int]]:
        """Which tool told of a name first, and on which message, by names."""
        found: dict[str, tuple[str, int]] = {}
        for call in sorted(self._told(), key=lambda call: call.message):
            for name in _NAME.findall(call.said):
                found.setdefault(name, (call.tool, call.message))
        return found

    def _told(self) -> Iterator[ToolCall]:
        return (call for call in self._calls if call.answered and not call.failed)


class KnownSoFar(Struct):
    """What the calls so far tell: what is done, what failed, what is open."""

    home: str
    """The folder in which most commands run."""
    calls: Sequence[ToolCall] = ()
    told: ToldBefore = field(default_factory=ToldBefore)
    shown: ShownActs = field(default_factory=ShownActs)
    tasks: TaskList = field(default_factory=TaskList)
    tasks_age: int = 0
    """How often the user spoke since these were listed."""
    said_since: tuple[int, ...] = ()
    """The messages in which that was, but for those that earlier rounds counted."""
    checks: CheckRuns = field(default_factory=CheckRuns)
    errors: OpenErrors = field(default_factory=OpenErrors)
    files: ChangedFiles = field(default_factory=ChangedFiles)
    scripts: ScriptRuns = field(default_factory=ScriptRuns)
    done: dict[str, StateLine] = field(default_factory=dict)
    """Effects that took place, by text, the newest last."""
    failed: dict[str, StateLine] = field(default_factory=dict)
    """Effects that failed, by what has to succeed to make up for them."""
    asked: dict[str, frozenset[str]] = field(default_factory=dict)
    """Names of the arguments with which these failed."""
    waiting: dict[str, dict[str, None]] = field(default_factory=dict)
    """Keys of those of them that waited for something, by the names in their lines."""
    tried: dict[str, ToolCall] = field(default_factory=dict)
    """The calls that these were, but those of earlier rounds."""
    newest: NewestActs = field(default_factory=NewestActs)
    records: Records = field(default_factory=Records)
    doings: Doings = field(default_factory=Doings)
    commits: Commits = field(default_factory=Commits)
    branches: Branches = field(default_factory=Branches)
    command: UserCommand = field(default_factory=UserCommand)
    ended: set[str] = field(default_factory=set)
    """What was cancelled or deleted: nothing of it is open."""
    pending: list[StateLine] = field(default_factory=list)
    running: dict[str, StateLine] = field(default_factory=dict)
    """Commands that had not ended when they were last asked for, by their numbers."""
    unlisted: Counter[Kind] = field(default_factory=Counter)
    """Facts for which earlier rounds had no room."""

    def holds(self, last: float) -> bool:
        """Return whether anything is left that stands on a message up to this one: a fact, or a failure that a later
        call may make up for."""
        lines = chain(self.pending, self.running.values(), self.failed.values(), self.done.values())
        runs = chain(self.checks.failing.values(), self.checks.passing.values())
        messages = chain(
            (line.message for line in lines),
            (run.message for run in runs),
            (task.message for task in self.tasks.tasks),
            (change.message for change in self.files.changes.values()),
            *self.checks.failed_in.values(),
            *self.errors.met.values(),
        )
        return any(message <= last for message in messages)
