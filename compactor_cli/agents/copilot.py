"""Copilot CLI: .copilot/session-state/ID/events.jsonl, in older versions ID.jsonl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, FoundSession, Machine, find_files
from compactor_cli.agents.reading import lines_of, marked, request, used
from compactor_cli.formats.values import inner, word

_KINDS = (b'"type":"user.message"', b'"type":"assistant.message"', b'"type":"tool.execution_complete"')


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("COPILOT_HOME", ".copilot") / "session-state"]


def _id(path: Path) -> str | None:
    if len(path.parts) == 1:
        return path.stem if path.suffix == ".jsonl" else None
    return path.parts[0] if path.name == "events.jsonl" else None


def _look(session: FoundSession) -> About:
    lines = lines_of(session)
    start = lines.first_picked(lambda value: value.get("data") if value.get("type") == "session.start" else None)
    asked, last_use = (_request, b'"user.message"'), used("session.shutdown", "data", "currentTokens")
    known_id, project = word(start, "sessionId"), word(inner(start, "context"), "cwd")
    return lines.about(asked, marked(80, *_KINDS), last_use, id=known_id, project=project)


def _request(value: dict[str, Any]) -> str | None:
    return request(word(inner(value, "data"), "content")) if value.get("type") == "user.message" else None


AGENT = Agent(
    name="copilot-cli",
    title="Copilot CLI",
    aliases=("copilot", "github-copilot"),
    folders=_folders,
    find=find_files("copilot-cli", 1, _id),
    look=_look,
    resume="copilot --resume {id}",
    new_folder=lambda machine, project, began: _folders(machine)[0],
    new_name=lambda session, began: f"{session}/events.jsonl",
)
