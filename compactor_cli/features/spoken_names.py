"""The names mentioned in messages."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, quoted, unescape


def names_spoken_of(messages: Iterable[Message], most: int | None = None) -> set[str]:
    """Return the identifiers in the texts and calls of messages, and the quoted names in the texts. System messages
    are skipped. `most`: maximum characters read from the beginning of each."""
    names: set[str] = set()
    for message in messages:
        for part in message.parts if message.role != "system" else ():
            if part.kind == "text":
                names |= identifiers(part.text[:most]) | quoted(part.text[:most])
            elif part.kind == "tool_call":
                names |= identifiers(unescape(part.text[:most]))
    return names
