"""What is known about the state of a session while its calls are read in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from msgspec import Struct, field

from compactor_cli.features.work.calls import NO_CALL, ToolCall
from compactor_cli.features.work.changed_files import ChangedFiles
from compactor_cli.features.work.check_runs import CheckRuns
from compactor_cli.features.work.git_steps import Commits
from compactor_cli.features.work.in_flight import UserCommand
from compactor_cli.features.work.inferred_acts import InferredActs
from compactor_cli.features.work.open_errors import OpenErrors
from compactor_cli.features.work.task_lists import TaskList
from compactor_cli.summary_text.state_line import Kind, StateLine


class WorkState(Struct):
    """What the calls so far show: what is done, what failed, and what is open."""

    main_folder: str
    """The folder in which most commands run."""
    calls: Sequence[ToolCall] = ()
    shown: InferredActs = field(default_factory=InferredActs)
    tasks: TaskList = field(default_factory=TaskList)
    requests_since_tasks: int = 0
    """How often the user has spoken since the tasks were listed."""
    messages_since_tasks: tuple[int, ...] = ()
    """The messages in which that happened, except those that earlier rounds counted."""
    checks: CheckRuns = field(default_factory=CheckRuns)
    errors: OpenErrors = field(default_factory=OpenErrors)
    files: ChangedFiles = field(default_factory=ChangedFiles)
    last_other_run: int = NO_CALL
    """Number of the last call that ran a program, other than a check, that may have tested changed files."""
    done: dict[str, StateLine] = field(default_factory=dict)
    """Text -> line of effects that took place, newest last."""
    failed: dict[str, StateLine] = field(default_factory=dict)
    """Key -> line of effects that failed. A success with the same key makes up for the failure."""
    waiting: dict[str, dict[str, None]] = field(default_factory=dict)
    """Names in the lines -> keys of the failed effects that were waiting for something."""
    commits: Commits = field(default_factory=Commits)
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
