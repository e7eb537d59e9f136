"""Droid (Factory): .factory/sessions/SLUG/UUID.jsonl."""

from __future__ import annotations

from compactor_cli.agents.base import About, Agent, FoundSession, find_files, jsonl_id
from compactor_cli.agents.reading import asked_inside, lines_of, marked
from compactor_cli.formats.values import word


def _look(session: FoundSession) -> About:
    lines = lines_of(session)
    start = lines.first_picked(lambda value: value if value.get("type") == "session_start" else None)
    known_id, title = word(start, "id"), word(start, "sessionTitle") or word(start, "title")
    is_message = marked(80, b'"type":"message"')
    # its count is the session's total, not its context
    return lines.about(asked_inside("message"), is_message, id=known_id, project=word(start, "cwd"), title=title)


AGENT = Agent(
    name="droid",
    title="Droid",
    aliases=("factory",),
    folders=lambda machine: [machine.home / ".factory" / "sessions"],
    find=find_files("droid", 1, jsonl_id),
    look=_look,
)
