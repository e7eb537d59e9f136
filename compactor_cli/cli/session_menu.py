"""Choose one of the sessions of this machine's agents: the newest, one by its id, or one from a list."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import typer

from compactor_cli.agents import AGENTS, agent
from compactor_cli.agents.base import Agent, Machine, machine_of
from compactor_cli.agents.finding import Listing, Saved, by_id, described, find_sessions, in_project, shortest
from compactor_cli.cli.files import is_folder, real_path
from compactor_cli.cli.gathering import read_session
from compactor_cli.cli.session import Session
from compactor_cli.configuration.settings_files import working_folder
from compactor_cli.errors import ExitCode, InputError, UsageError
from compactor_cli.model.content import Content
from compactor_cli.text.clean import one_line, plain

_OFFERED = 15
_FEW = 4
"""Up to this many folders, a message names them."""
_TITLE = 80


def this_machine() -> Machine:
    return machine_of(os.environ)


def project_of(text: str) -> str:
    """Return the project for --project: the full path of an existing folder; anything else is part of a path and
    returned unchanged."""
    if not text:
        return ""
    path = real_path(working_folder() / Path(text).expanduser())
    return str(path) if is_folder(path) else text


def choose(session: Session, name: str, wanted: str, project: str, *, newest: bool) -> str:
    """Return the name by which commands know the chosen session: the one with the id `wanted`, the newest, or the
    one chosen at the terminal; only of the agent `name`, if given. Raises UsageError."""
    agents = [agent(name)] if name else list(AGENTS.values())
    listing = find_sessions(this_machine(), agents, aside=bool(wanted))
    if wanted:
        saved = _by_id(listing, wanted, project_of(project))
    elif newest:
        saved = _newest(listing, agents, project)
    else:
        saved = _chosen(session, listing, project)
    session.say(f"session: {saved.agent.name} · {one_line(saved.words, _TITLE) or saved.id} · {saved.session.path}")
    return opened(session, saved)


def opened(session: Session, saved: Saved) -> str:
    """Return the name by which commands know a session: its file or, if it has no file of its own, a name for its
    contents."""
    if saved.agent.export is None:
        return str(saved.session.path)
    name = f"{saved.session.path}#{saved.id}"
    session.contents[name] = content_of(saved)
    return name


def content_of(saved: Saved) -> Content:
    """Return the bytes of a session. Raises InputError."""
    try:
        return saved.agent.export(saved.session) if saved.agent.export else read_session(str(saved.session.path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(saved.session.path)) from None


def _by_id(listing: Listing, wanted: str, project: str) -> Saved:
    matches = by_id(listing, wanted)
    if project:
        matches = [saved for saved in matches if in_project(saved.about.project, project)]
    if not matches:
        raise UsageError(f"--session {wanted}: no session id begins with this; compactor sessions lists them")
    if len(matches) > 1:
        ids = shortest([saved.id for saved in matches], len(wanted) + 4)
        lines = (
            f"\n  {plain(name)}  {saved.agent.name}  {one_line(saved.words, _TITLE) or saved.session.path}"
            for name, saved in zip(ids, matches, strict=True)
        )
        raise UsageError(
            f"--session {wanted}: {len(matches)} ids begin with this; give more characters:{''.join(lines)}"
        )
    return matches[0]


def _newest(listing: Listing, agents: Iterable[Agent], project: str) -> Saved:
    saved = next(described(listing, project=project_of(project)), None)
    if saved is None:
        few = len(listing.looked) < _FEW
        names = ", ".join(member.title for member in agents) if few else "any agent"
        places = f"; looked in {', '.join(map(str, listing.looked))}" if few else "; see compactor sessions"
        inside = f" in a project {project}" if project else ""
        raise UsageError(f"--latest: no session found of {names}{inside}{places}")
    return saved


def _chosen(session: Session, listing: Listing, project: str) -> Saved:
    """Return the session that the user chooses by number. Enter chooses the newest, q quits."""
    from compactor_cli.render.sessions import choices

    offered = list(islice(described(listing, project=project_of(project)), _OFFERED))
    if not offered:
        raise UsageError("Missing argument 'FILE', and there are no agent sessions on this machine to choose from.")
    for line in choices(offered, session.err.width, time.time()):
        session.err.print(line)
    while True:
        session.err.print(f"Which session? 1-{len(offered)}, Enter for 1, q to leave: ", end="")
        try:
            answer = input().strip().lower()
        except EOFError:
            raise KeyboardInterrupt from None
        if answer in ("q", "quit", "exit"):
            raise typer.Exit(ExitCode.INTERRUPTED)
        if not answer:
            return offered[0]
        if answer.isdecimal() and 1 <= int(answer) <= len(offered):
            return offered[int(answer) - 1]
