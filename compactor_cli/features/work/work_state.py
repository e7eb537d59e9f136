"""What is known about the state of a session while its calls are read in order."""

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
from compactor_cli.features.work.inferred_acts import InferredActs
from compactor_cli.features.work.open_errors import OpenErrors
from compactor_cli.features.work.superseding import CreatedThings, NewestActs
from compactor_cli.features.work.task_lists import TaskList
from compactor_cli.features.work.undoing import PastActs
from compactor_cli.summary_text.state_line import Kind, StateLine
from compactor_cli.text.patterns import compiled_later

_NAME_WITH_DIGIT = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""One word with a digit that may be a name; shorter words may have another meaning."""


class ResultNames:
    """Index of the results of a session's calls. It is built once, when a call does not say what it created."""

    def __init__(self, calls: Sequence[ToolCall] = ()) -> None:
        self._calls = calls

    def is_named_before(self, name: str, call: ToolCall) -> bool:
        """Return whether the result of another tool contained a name first, before this call was made. Failed calls
        do not count. A name that the tool itself returned first counts as its own; otherwise repeating an act would
        look like two things."""
        tool, message = self._first_results.get(name, (call.tool, call.call_message))
        return tool != call.tool and message < call.call_message

    @cached_property
    def _first_results(self) -> dict[str, tuple[str, int]]:
        """Return name -> (tool, message) of its first occurrence in a result."""
        first: dict[str, tuple[str, int]] = {}
        for call in sorted(self._successful_calls(), key=lambda call: call.message):
            for name in _NAME_WITH_DIGIT.findall(call.output):
                first.setdefault(name, (call.tool, call.message))
        return first

    def _successful_calls(self) -> Iterator[ToolCall]:
        return (call for call in self._calls if call.answered and not call.failed)


class WorkState(Struct):
    """What the calls so far show: what is done, what failed, and what is open."""

    main_folder: str
    """The folder in which most commands run."""
    calls: Sequence[ToolCall] = ()
    result_names: ResultNames = field(default_factory=ResultNames)
    shown: InferredActs = field(default_factory=InferredActs)
    tasks: TaskList = field(default_factory=TaskList)
    requests_since_tasks: int = 0
    """How often the user has spoken since the tasks were listed."""
    messages_since_tasks: tuple[int, ...] = ()
    """The messages in which that happened, except those that earlier rounds counted."""
    checks: CheckRuns = field(default_factory=CheckRuns)
    errors: OpenErrors = field(default_factory=OpenErrors)
    files: ChangedFiles = field(default_factory=ChangedFiles)
    scripts: ScriptRuns = field(default_factory=ScriptRuns)
    done: dict[str, StateLine] = field(default_factory=dict)
    """Text -> line of effects that took place, newest last."""
    failed: dict[str, StateLine] = field(default_factory=dict)
    """Key -> line of effects that failed. A success with the same key makes up for the failure."""
    failed_arguments: dict[str, frozenset[str]] = field(default_factory=dict)
    """The same keys -> names of the arguments of the failed call."""
    waiting: dict[str, dict[str, None]] = field(default_factory=dict)
    """Names in the lines -> keys of the failed effects that were waiting for something."""
    failed_calls: dict[str, ToolCall] = field(default_factory=dict)
    """The same keys -> the failed calls, except those of earlier rounds."""
    newest: NewestActs = field(default_factory=NewestActs)
    records: CreatedThings = field(default_factory=CreatedThings)
    page_doings: PastActs = field(default_factory=PastActs)
    commits: Commits = field(default_factory=Commits)
    branches: Branches = field(default_factory=Branches)
    command: UserCommand = field(default_factory=UserCommand)
    ended: set[str] = field(default_factory=set)
    """What was cancelled or deleted; nothing about it is open any more."""
    pending: list[StateLine] = field(default_factory=list)
    running: dict[str, StateLine] = field(default_factory=dict)
    """Id -> line of commands that were still running when last asked about."""
    unlisted: Counter[Kind] = field(default_factory=Counter)
    """Number of facts by kind that did not fit into earlier rounds."""

    def has_facts_up_to(self, last: float) -> bool:
        """Return whether anything known refers to a message up to `last`: a fact, or a failure that a later call may
        make up for."""
        lines = chain(self.pending, self.running.values(), self.failed.values(), self.done.values())
        runs = chain(self.checks.failing.values(), self.checks.passing.values())
        messages = chain(
            (line.message for line in lines),
            (run.message for run in runs),
            (task.message for task in self.tasks.tasks),
            (change.message for change in self.files.changes.values()),
            *self.checks.failed_in.values(),
            *self.errors.messages_by_key.values(),
        )
        return any(message <= last for message in messages)
