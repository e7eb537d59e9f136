"""Sessions that consist of a header and entries, as written by pi and by OpenClaw, which is built on it."""

from __future__ import annotations

from typing import Any

from compactor_cli.agents.base import About, FoundSession
from compactor_cli.agents.reading import asked_inside, lines_of, marked, used
from compactor_cli.formats.values import word

_PICK, _MARKER = asked_inside("message")
_UNTRUSTED_MARK = "Sender (untrusted metadata)"


def look(session: FoundSession) -> About:
    lines = lines_of(session)
    header = lines.first_picked(lambda value: value if value.get("type") == "session" else None, b'"session"')
    session_name = lines.last_picked(lambda value: word(value, "name") or None, b'"session_info"')
    known_id, project, title = word(header, "id"), word(header, "cwd"), session_name or ""
    is_message, tokens = marked(80, b'"type":"message"'), used("usage", "message", "usage", "totalTokens")
    return lines.about((_request, _MARKER), is_message, tokens, id=known_id, project=project, title=title)


def _request(value: dict[str, Any]) -> str | None:
    text = _PICK(value)
    return text.split("\n\n")[-1] if text and text.startswith(_UNTRUSTED_MARK) else text
