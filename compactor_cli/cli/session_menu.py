"""Choose one of the sessions of this machine's agents: the newest, one by its id, or one from a list."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import typer

from compactor_cli.agents import AGENTS, agent, finding
from compactor_cli.agents.base import Agent, Machine, make_machine
from compactor_cli.cli.files import is_folder, real_path
from compactor_cli.cli.gathering import read_session
from compactor_cli.cli.session import Session
from compactor_cli.configuration.settings_files import working_folder
from compactor_cli.errors import ExitCode, InputError, UsageError
from compactor_cli.model.content import Content
from compactor_cli.text.clean import one_line, plain

_MAX_OFFERED = 15
_MAX_NAMED_AGENTS = 4
_MAX_TITLE_WIDTH = 80


def this_machine() -> Machine:
    return make_machine(os.environ)


def project_of(text: str) -> str:
    """Return the project for --project: the full path of a folder, or part of a path unchanged."""
    if not text:
        return ""
    path = real_path(working_folder() / Path(text).expanduser())
    return str(path) if is_folder(path) else text


def choose(session: Session, name: str, session_id: str, project: str, *, newest: bool) -> str:
    """Return the name by which commands know the chosen session: the one with the id `session_id`, the newest, or
    the one chosen at the terminal; only of the agent `name`, if given. Raises UsageError."""
    agents = [agent(name)] if name else list(AGENTS.values())
    listing = finding.find_sessions(this_machine(), agents, with_subagents=bool(session_id))
    if session_id:
        saved = _find_by_id(listing, session_id, project_of(project))
    elif newest:
        saved = _find_newest(listing, agents, project)
    else:
        saved = _ask_for_session(session, listing, project)
    session.say(
        f"session: {saved.agent.name} · {one_line(saved.words, _MAX_TITLE_WIDTH) or saved.id} · {saved.session.path}"
    )
    return open_saved(session, saved)


def open_saved(session: Session, saved: finding.SavedSession) -> str:
    """Return the name by which commands know a session: its file, or a name for its contents."""
    if saved.agent.export is None:
        return str(saved.session.path)
    name = f"{saved.session.path}#{saved.id}"
    session.contents[name] = read_saved(saved)
    return name


def read_saved(saved: finding.SavedSession) -> Content:
    """Return the bytes of a session. Raises InputError."""
    try:
        return saved.agent.export(saved.session) if saved.agent.export else read_session(str(saved.session.path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(saved.session.path)) from None


def _find_by_id(listing: finding.Listing, session_id: str, project: str) -> finding.SavedSession:
    matches = finding.find_by_id(listing, session_id)
    if project:
        matches = [saved for saved in matches if finding.is_in_project(saved.summary.project, project)]
    if not matches:
        raise UsageError(f"--session {session_id}: no session id begins with this; compactor sessions lists them")
    if len(matches) > 1:
        ids = finding.shortest_prefixes([saved.id for saved in matches], len(session_id) + 4)
        lines = (
            f"\n  {plain(name)}  {saved.agent.name}  {one_line(saved.words, _MAX_TITLE_WIDTH) or saved.session.path}"
            for name, saved in zip(ids, matches, strict=True)
        )
        raise UsageError(
            f"--session {session_id}: {len(matches)} ids begin with this; give more characters:{''.join(lines)}"
        )
    return matches[0]


def _find_newest(listing: finding.Listing, agents: Iterable[Agent], project: str) -> finding.SavedSession:
    saved = next(finding.describe_sessions(listing, project=project_of(project)), None)
    if saved is None:
        names_agents = len(listing.searched_folders) < _MAX_NAMED_AGENTS
        names = ", ".join(member.title for member in agents) if names_agents else "any agent"
        places = f"; looked in {', '.join(map(str, listing.searched_folders))}"
        places = places if names_agents else "; see compactor sessions"
        inside = f" in a project {project}" if project else ""
        raise UsageError(f"--latest: no session found of {names}{inside}{places}")
    return saved


def _ask_for_session(session: Session, listing: finding.Listing, project: str) -> finding.SavedSession:
    """Return the session that the user chooses by number. Enter chooses the newest, q quits."""
    from compactor_cli.render.sessions import choice_lines

    offered = list(islice(finding.describe_sessions(listing, project=project_of(project)), _MAX_OFFERED))
    if not offered:
        raise UsageError("Missing argument 'FILE', and there are no agent sessions on this machine to choose from.")
    for line in choice_lines(offered, session.err.width, time.time()):
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
