"""The names that messages speak of."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, quoted, unescape


def names_spoken_of(messages: Iterable[Message], most: int | None = None) -> set[str]:
    """Return the identifiers in the texts and calls of messages, and what is quoted in the texts; neither of system
    messages. `most`: characters of each that are read, from its beginning."""
    names: set[str] = set()
    for message in messages:
        for part in message.parts if message.role != "system" else ():
            if part.kind == "text":
                names |= identifiers(part.text[:most]) | quoted(part.text[:most])
            elif part.kind == "tool_call":
                names |= identifiers(unescape(part.text[:most]))
    return names
