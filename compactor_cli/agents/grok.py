"""Grok Build: .grok/sessions/URLENCODED-CWD/ID/chat_history.jsonl, next to summary.json."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from compactor_cli.agents.base import About, Agent, FoundSession, find_files, folder_id
from compactor_cli.agents.reading import document, lines_of, marked, request
from compactor_cli.formats.values import inner, word

_KINDS = (b'"type":"user"', b'"type":"assistant"', b'"type":"tool_result"')


def _look(session: FoundSession) -> About:
    lines, summary = lines_of(session), document(session.path.with_name("summary.json"))
    known_id, title = word(inner(summary, "info"), "id"), word(summary, "session_summary")
    project = word(inner(summary, "info"), "cwd") or unquote(session.path.parent.parent.name)
    return lines.about((_request, b'"user"'), marked(40, *_KINDS), id=known_id, project=project, title=title)


def _request(value: dict[str, Any]) -> str | None:
    typed = value.get("type") == "user" and not value.get("synthetic_reason")
    return request(value.get("content")) if typed else None


AGENT = Agent(
    name="grok",
    title="Grok Build",
    aliases=("grok-build",),
    folders=lambda machine: [machine.folder_by_variable("GROK_HOME", ".grok") / "sessions"],
    find=find_files("grok", 2, folder_id("chat_history.jsonl")),
    look=_look,
)
