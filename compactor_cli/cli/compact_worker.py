"""Compacts files of `compact` in another process or on another machine. Returns what would be printed there."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from io import StringIO

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.cli.compact_job import CompactOptions, Job
from compactor_cli.cli.configured import Configured
from compactor_cli.cli.many import FileResult, FileTask, attempt
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.session import Session
from compactor_cli.cli.workers import collect_garbage
from compactor_cli.model.memory import Memory
from compactor_cli.model.profile import Profile
from compactor_cli.render.console import ConsoleLook, recording_console
from compactor_cli.tokens import make_counter


class Setup(Struct, frozen=True):
    """What all files of a run share. It can be pickled."""

    configured: Configured
    profile: Profile | None
    args: CompactOptions
    recalled: Sequence[Memory]
    out: ConsoleLook
    err: ConsoleLook


class _Ready(threading.local):
    """The state of this thread after `begin`: a session prints, and counts, for one file at a time."""

    setup: Setup | None = None
    session: Session
    job: Job


_ready = _Ready()


def begin(setup: Setup) -> None:
    """Prepare this thread for a run, once. Messages about the settings were printed where the run started."""
    if _ready.setup == setup:
        return
    configured = setup.configured
    counter = make_counter(configured.tokenizer, configured.reading.model).counter
    session = Session(configured, counter, recording_console(setup.out), recording_console(setup.err), setup.profile)
    session.dry = setup.args.dry_run
    job = Job(args=setup.args, names={}, several=True, keeper=Keeper(session), recalled=setup.recalled)
    _ready.setup, _ready.session, _ready.job = setup, session, job


def compact_chunk(tasks: Sequence[FileTask]) -> list[FileResult]:
    """Compact files one after the other in a thread prepared by `begin`."""
    session, job = _ready.session, replace(_ready.job, names={task.path: task.name for task in tasks})
    outcomes = [
        FileResult(attempt(session, task, job), _take_text(session.out.file), _take_text(session.err.file))
        for task in tasks
    ]
    collect_garbage()
    return outcomes


def _take_text(stream: object) -> str:
    if not isinstance(stream, StringIO):
        return ""
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text.removesuffix("\n")
