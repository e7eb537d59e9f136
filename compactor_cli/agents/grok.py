"""Grok Build: .grok/sessions/URLENCODED-CWD/ID/chat_history.jsonl, next to summary.json."""

from __future__ import annotations

from urllib.parse import unquote

from compactor_cli.agents.base import About, Agent, FoundSession, find_files, folder_id
from compactor_cli.agents.reading import asked, document, lines_of, marked
from compactor_cli.formats.values import inner, word

_KINDS = (b'"type":"user"', b'"type":"assistant"', b'"type":"tool_result"')


def _look(session: FoundSession) -> About:
    lines, summary = lines_of(session), document(session.path.with_name("summary.json"))
    known_id, title = word(inner(summary, "info"), "id"), word(summary, "session_summary")
    project = word(inner(summary, "info"), "cwd") or unquote(session.path.parent.parent.name)
    request = asked("type", "user", "content", unless="synthetic_reason")
    return lines.about(request, marked(40, *_KINDS), id=known_id, project=project, title=title)


AGENT = Agent(
    name="grok",
    title="Grok Build",
    aliases=("grok-build",),
    folders=lambda machine: [machine.folder_by_variable("GROK_HOME", ".grok") / "sessions"],
    find=find_files("grok", 2, folder_id("chat_history.jsonl")),
    look=_look,
)
