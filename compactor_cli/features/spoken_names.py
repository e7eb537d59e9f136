"""The names mentioned in messages."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, quoted_strings, unescape


def names_spoken_of(messages: Iterable[Message], max_chars: int | None = None) -> set[str]:
    """Return the identifiers in the texts and calls of messages, and the quoted names in the texts. System messages
    are skipped. `max_chars`: maximum characters read from the beginning of each."""
    names: set[str] = set()
    for message in messages:
        for part in message.parts if message.role != "system" else ():
            if part.kind == "text":
                names |= identifiers(part.text[:max_chars]) | quoted_strings(part.text[:max_chars])
            elif part.kind == "tool_call":
                names |= identifiers(unescape(part.text[:max_chars]))
    return names
