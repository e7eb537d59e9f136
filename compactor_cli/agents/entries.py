"""Sessions that consist of a header and entries, as written by pi and by OpenClaw, which is built on it."""

from __future__ import annotations

from typing import Any

from compactor_cli.agents.base import About, Figure, FoundSession
from compactor_cli.agents.reading import inner, lines_of, recorded, request, to_int, tokens_or_size, word

_UNTRUSTED_MARK = "Sender (untrusted metadata)"


def look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    header = lines.first_picked(lambda value: value if value.get("type") == "session" else None, b'"session"')
    session_name = lines.last_picked(lambda value: word(value, "name") or None, b'"session_info"')
    return About(
        id=word(header, "id"),
        project=word(header, "cwd"),
        title=session_name or "",
        request=lines.first_picked(_request, b'"user"') or "",
        messages=lines.count(lambda line: b'"type":"message"' in line[:80]),
        tokens=tokens_or_size(lines.last_picked(_token_figure, b'"usage"'), session),
    )


def _request(value: dict[str, Any]) -> str | None:
    message = inner(value, "message")
    text = request(message.get("content")) if message.get("role") == "user" else None
    return None if text is None else (text.split("\n\n")[-1] if text.startswith(_UNTRUSTED_MARK) else text)


def _token_figure(value: dict[str, Any]) -> Figure | None:
    return recorded(to_int(inner(value, "message", "usage").get("totalTokens")))
