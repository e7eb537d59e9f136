"""Cursor: .cursor/projects/SLUG/agent-transcripts/, one file per session, without project, time or usage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, FoundSession, Machine, files_below, new_session
from compactor_cli.agents.reading import estimated, lines_of, request

_ROLES = (b'"role":"user"', b'"role":"assistant"')


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("", ".cursor", "projects")]


def _find(folder: Path) -> Iterator[FoundSession]:
    for entry in files_below(folder, 4):
        parts = Path(entry.path).relative_to(folder).parts
        if entry.name.endswith(".jsonl") and parts[1:2] == ("agent-transcripts",):
            yield new_session(AGENT.name, entry, entry.name.removesuffix(".jsonl"), is_subagent="subagents" in parts)


def _look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    slug = next(
        (up.parent.name for up in session.path.parents if up.name == "agent-transcripts"), session.path.parent.name
    )
    return About(
        project=slug,
        request=lines.first_picked(_request, b'"user"') or "",
        messages=lines.count(lambda line: any(role in line[:40] for role in _ROLES)),
        tokens=estimated(session.size),
    )


def _request(value: dict[str, Any]) -> str | None:
    message = value.get("message")
    return request(message.get("content")) if value.get("role") == "user" and isinstance(message, dict) else None


AGENT = Agent(
    name="cursor", title="Cursor", format="cursor", aliases=("cursor-agent",), folders=_folders, find=_find, look=_look
)
