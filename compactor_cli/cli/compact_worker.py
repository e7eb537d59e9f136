"""A process that compacts a part of the files of `compact --jobs`; what it would print is handed back."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from compactor_cli.cli.compact import job_of
from compactor_cli.cli.compact_job import Job
from compactor_cli.cli.configured import configure
from compactor_cli.cli.keeping import Keeper
from compactor_cli.cli.many import Task, Told, attempt
from compactor_cli.cli.progress import NoSteps
from compactor_cli.cli.session import Session
from compactor_cli.render.console import Look, recording
from compactor_cli.settings import Settings

_ready: list[tuple[Session, Job, Settings]] = []
"""What this process works with, once it has begun."""


def begin(given: Mapping[str, Any], names: Mapping[str, str], out: Look, err: Look) -> None:
    """Set up what all files of this process share, by the options of the command. Everything that there is to say of
    that the first process has said."""
    configured = configure(given)
    session = configured.session(quiet=True, profile=True, probes=True)
    session.out, session.err = recording(out), recording(err)
    session.dry = bool(given["dry_run"])
    keeper = Keeper(session, configured.settings, configured.reading.database_url)
    job = job_of(names, given, configured, keeper, several=True)
    job = replace(job, recalled=keeper.recall(given["recall"]))
    _said(session)
    _ready.append((session, job, configured.settings))


def compact_chunk(tasks: Sequence[Task]) -> list[Told]:
    """Compact files one after the other."""
    session, job, settings = _ready[0]
    told = [Told(attempt(session, task, job, settings, NoSteps()), *_said(session)) for task in tasks]
    gc.collect()  # it is switched off for the whole program
    return told


def _said(session: Session) -> tuple[str, str]:
    """What was printed since it was last asked."""
    return _taken(session.out.file), _taken(session.err.file)


def _taken(stream: object) -> str:
    if not isinstance(stream, StringIO):
        return ""
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text.removesuffix("\n")
