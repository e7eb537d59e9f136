"""Grok Build: .grok/sessions/URLENCODED-CWD/ID/chat_history.jsonl, next to summary.json."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from compactor_cli.agents.base import About, Agent, FoundSession, find_files, folder_id
from compactor_cli.agents.reading import document, estimated, lines_of, request, word

_KINDS = (b'"type":"user"', b'"type":"assistant"', b'"type":"tool_result"')


def _look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    summary = document(session.path.with_name("summary.json"))
    return About(
        id=word(summary, "info", "id"),
        project=word(summary, "info", "cwd") or unquote(session.path.parent.parent.name),
        title=word(summary, "session_summary"),
        request=lines.first_picked(_request, b'"user"') or "",
        messages=lines.count(lambda line: any(kind in line[:40] for kind in _KINDS)),
        tokens=estimated(session.size),
    )


def _request(value: dict[str, Any]) -> str | None:
    typed = value.get("type") == "user" and not value.get("synthetic_reason")
    return request(value.get("content")) if typed else None


AGENT = Agent(
    name="grok",
    title="Grok Build",
    format="grok",
    aliases=("grok-build",),
    folders=lambda machine: [machine.folder_by_variable("GROK_HOME", ".grok") / "sessions"],
    find=find_files("grok", 2, folder_id("chat_history.jsonl")),
    look=_look,
)
