"""`compact --emit native` and `--new-session`: outputs that the session's agent can resume."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.cli.files import is_there, make_folder, real_path
from compactor_cli.cli.session import Session
from compactor_cli.errors import BudgetError, UsageError
from compactor_cli.formats.loading import load
from compactor_cli.model.content import Content
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source
from compactor_cli.settings import Settings

if TYPE_CHECKING:
    from compactor_cli.agents.base import Agent

_MAX_TRIES = 4

Make = Callable[[Source, Settings], "tuple[Content, list[Compaction]]"]


class CarriedOn(Struct, frozen=True):
    """A session that its agent can resume: its file and the command that resumes it."""

    id: str
    path: str
    project: str
    command: str

    @property
    def line(self) -> str:
        """Return a line that says how to resume the session."""
        return f"resume with: {self.command}" + (f" (in {self.project})" if self.project else "")

    @property
    def json(self) -> dict[str, object]:
        return {"session": {"id": self.id, "path": self.path, "project": self.project or None, "resume": self.command}}


def append_natively(
    session: Session, make: Make, source: Source, settings: Settings
) -> tuple[Content, list[Compaction]]:
    """Return the file with the output of `make` appended as its agent would append it, and the compaction. Further
    records that the agent requires, such as a notice that something is missing, count against the target. Raises
    UsageError if nothing can be appended, and BudgetError if the result does not fit."""
    from compactor_cli.resuming.emit import append_compaction

    data, parts = make(source, settings)
    target = parts[0].target if parts else None
    aimed = settings
    for _ in range(_MAX_TRIES):
        if data == source.data:
            return data, parts
        after = load(data, source.path, session.counter, format=source.format)
        appended_output = append_compaction(source, after)
        loaded = load(appended_output, source.path, session.counter, format=source.format)
        if target is None or loaded.tokens <= target:
            return appended_output, [replace(parts[0], data=appended_output, tokens=loaded.tokens, target=target)]
        excess_tokens = loaded.tokens - target
        aimed = dataclasses.replace(settings, target_ratio=None, target_tokens=max(1, parts[0].tokens - excess_tokens))
        data, parts = make(source, aimed)
    raise BudgetError(target or 0, loaded.tokens, ())


def make_new_session(source: Source, data: Content, out: str) -> tuple[bytes, CarriedOn]:
    """Return a new session under its own id, and where it goes: to `out`, or to its agent's folder. Raises UsageError
    if no agent resumes the format, or if the folder cannot be determined."""
    from compactor_cli.resuming.emit import new_id, rename_session

    if len(source.transcripts) != 1:
        raise UsageError(
            f"{source.path}: the file holds {len(source.transcripts)} sessions; --new-session needs a file with one"
        )
    old, new = source.transcripts[0].session_id, new_id(source.format, data)
    renamed_session = rename_session(source.format, data, old, new)
    agent, project = agent_of(source), project_of(source)
    path = out or str(_session_path(agent, source, new, project))
    if is_there(path) and Path(path).read_bytes() != renamed_session:
        raise UsageError(f"{path}: already exists and holds another session; it was left unchanged")
    make_folder(path)
    return renamed_session, CarriedOn(new, path, _project_folder(project), _resume_command(agent, new, path))


def resume_at_home(source: Source, path: str) -> CarriedOn | None:
    """Return how to resume a session that is in its agent's folder; None for any other file."""
    agent = _agent_at(path)
    if agent is None or agent.format != source.format or not agent.resume or len(source.transcripts) != 1:
        return None
    session_id = source.transcripts[0].session_id
    return CarriedOn(session_id, path, _project_folder(project_of(source)), _resume_command(agent, session_id, path))


def agent_of(source: Source) -> Agent:
    """Return the agent that a session file belongs to. Raises UsageError if no agent can resume it."""
    from compactor_cli.agents import AGENTS

    by_place = _agent_at(source.path)
    if by_place is not None and by_place.format == source.format:
        return by_place
    agent = next((agent for agent in AGENTS.values() if agent.format == source.format and agent.resume), None)
    if agent is None:
        raise UsageError(f"{source.path}: --new-session: no agent can resume a file of format {source.format}")
    return agent


def project_of(source: Source) -> str:
    """Return the folder that the session works in, or its substitute for it; empty if the session names none."""
    from compactor_cli.resuming import AGENTIC
    from compactor_cli.resuming.emit import read_values

    resuming = AGENTIC.get(source.format)
    if resuming is None:
        return ""
    return next(filter(None, (resuming.project(value) for _, _, value in read_values(source.data))), "")


def _project_folder(project: str) -> str:
    return project if "/" in project or "\\" in project else ""


def _agent_at(path: str) -> Agent | None:
    """Return the agent whose folder contains the file."""
    from compactor_cli.agents import AGENTS
    from compactor_cli.cli.session_menu import this_machine

    machine, real = this_machine(), real_path(path)
    for agent in AGENTS.values():
        if any(real.is_relative_to(real_path(folder)) for folder in agent.folders(machine)):
            return agent
    return None


def _session_path(agent: Agent, source: Source, id: str, project: str) -> Path:
    from compactor_cli.cli.session_menu import this_machine

    if agent.new_folder is None or agent.new_name is None:
        raise UsageError(f"--new-session: {agent.title} keeps no session files; name a file with -o, and import it")
    times = [message.timestamp for message in source.transcripts[0].messages if message.timestamp is not None]
    began = min(times, default=0.0)
    name = Path(agent.new_name(id, began))
    if _agent_at(source.path) is agent:
        # next to the original session: agents tell the project of a session by its folder
        return real_path(source.path).parents[len(name.parts) - 1] / name
    folder = agent.new_folder(this_machine(), project, began)
    if folder is None:
        fault = f"works in a folder that {agent.title} does not know"
        fault = fault if project else "does not record the folder it works in"
        raise UsageError(f"{source.path}: --new-session: the session {fault}; write it to a file with -o")
    return folder / name


def _resume_command(agent: Agent, id: str, path: str) -> str:
    command = agent.resume.format(id=id, path=path)
    return f"opencode import {path} && {command}" if agent.new_name is None and agent.export else command
