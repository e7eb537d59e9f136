"""Sessions that consist of a header and entries, as written by pi and by OpenClaw, which is built on it."""

from __future__ import annotations

from typing import Any

from compactor_cli.agents.base import About, Figure, FoundSession
from compactor_cli.agents.reading import lines_of, recorded, request, tokens_or_size, whole, word

_UNTRUSTED = "Sender (untrusted metadata)"


def look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    header = lines.first(lambda value: value if value.get("type") == "session" else None, b'"session"')
    named = lines.last(lambda value: word(value, "name") or None, b'"session_info"')
    return About(
        id=word(header, "id"),
        project=word(header, "cwd"),
        title=named or "",
        request=lines.first(_request, b'"user"') or "",
        messages=lines.count(lambda line: b'"type":"message"' in line[:80]),
        tokens=tokens_or_size(lines.last(_used, b'"usage"'), session),
    )


def _request(value: dict[str, Any]) -> str | None:
    message = value.get("message")
    if not isinstance(message, dict) or message.get("role") != "user":
        return None
    text = request(message.get("content"))
    return None if text is None else (text.split("\n\n")[-1] if text.startswith(_UNTRUSTED) else text)


def _used(value: dict[str, Any]) -> Figure | None:
    message = value.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    return recorded(whole(usage.get("totalTokens"))) if isinstance(usage, dict) else None
