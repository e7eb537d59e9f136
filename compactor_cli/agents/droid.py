"""Droid (Factory): .factory/sessions/SLUG/UUID.jsonl."""

from __future__ import annotations

from typing import Any

from compactor_cli.agents.base import About, Agent, FoundSession, find_files, jsonl_id
from compactor_cli.agents.reading import estimated, inner, lines_of, request, word


def _look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    start = lines.first_picked(lambda value: value if value.get("type") == "session_start" else None)
    return About(
        id=word(start, "id"),
        project=word(start, "cwd"),
        title=word(start, "sessionTitle") or word(start, "title"),
        request=lines.first_picked(_request, b'"user"') or "",
        messages=lines.count(lambda line: b'"type":"message"' in line[:80]),
        tokens=estimated(session.size),  # it records the session's total, not its context
    )


def _request(value: dict[str, Any]) -> str | None:
    message = inner(value, "message")
    return request(message.get("content")) if message.get("role") == "user" else None


AGENT = Agent(
    name="droid",
    title="Droid",
    format="droid",
    aliases=("factory",),
    folders=lambda machine: [machine.folder_by_variable("", ".factory", "sessions")],
    find=find_files("droid", 1, jsonl_id),
    look=_look,
)
