"""Which messages later ones refer to, by id or by using their identifiers again (seed 000)."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, quoted, unescape


def reference_counts(messages: Sequence[Message]) -> list[int]:
    """For each message, how many later ones name its id or use an identifier that first appeared in it.

    One pass with an index of first appearances; linear in the length of the transcript.
    """
    first_seen: dict[str, int] = {}
    counts = [0] * len(messages)
    for message in messages:
        names = _names(message)
        for origin in {first_seen[name] for name in names if name in first_seen}:
            counts[origin] += 1
        for name in names:
            first_seen.setdefault(name, message.index)
        if len(message.id) >= 4:
            first_seen.setdefault(message.id, message.index)
    return counts


def _names(message: Message) -> set[str]:
    names: set[str] = set()
    for part in message.parts:
        if part.kind == "tool_call":
            names |= identifiers(unescape(part.text))
        elif part.text:
            names |= identifiers(part.text)
        if part.kind == "text":
            names |= quoted(part.text)
    return names
