"""Sessions that consist of a header and entries, as written by pi and by OpenClaw, which is built on it."""

from __future__ import annotations

from typing import Any

from compactor_cli.agents.base import About, Figure, FoundSession
from compactor_cli.agents.reading import lines_of, marked, recorded, request, to_int
from compactor_cli.formats.values import inner, word

_UNTRUSTED_MARK = "Sender (untrusted metadata)"


def look(session: FoundSession) -> About:
    lines = lines_of(session)
    header = lines.first_picked(lambda value: value if value.get("type") == "session" else None, b'"session"')
    session_name = lines.last_picked(lambda value: word(value, "name") or None, b'"session_info"')
    known_id, project, title = word(header, "id"), word(header, "cwd"), session_name or ""
    is_message, used = marked(80, b'"type":"message"'), (_token_figure, b'"usage"')
    return lines.about((_request, b'"user"'), is_message, used, id=known_id, project=project, title=title)


def _request(value: dict[str, Any]) -> str | None:
    message = inner(value, "message")
    text = request(message.get("content")) if message.get("role") == "user" else None
    return None if text is None else (text.split("\n\n")[-1] if text.startswith(_UNTRUSTED_MARK) else text)


def _token_figure(value: dict[str, Any]) -> Figure | None:
    return recorded(to_int(inner(value, "message", "usage").get("totalTokens")))
