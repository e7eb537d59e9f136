"""Which messages later ones refer to, by id or by using their identifiers again (seed 000)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from compactor_cli.model.message import Message
from compactor_cli.text.ends import both_ends
from compactor_cli.text.identifiers import identifiers, quoted, unescape

_HEAD, _TAIL = 3_000, 1_000
"""Characters at the ends of a tool output whose identifiers count. What names thousands of things is referred to by
chance."""


def reference_counts(messages: Sequence[Message]) -> list[int]:
    """For each message, how many later ones name its id or use an identifier that first appeared in it.

    One pass with an index of first appearances; linear in the length of the transcript.
    """
    first_seen: dict[str, int] = {}
    counts = [0] * len(messages)
    for message in messages:
        for origin in set(map(first_seen.setdefault, _names(message), repeat(message.index))):
            if origin != message.index:
                counts[origin] += 1
        if len(message.id) >= 4:
            first_seen.setdefault(message.id, message.index)
    return counts


def _names(message: Message) -> set[str]:
    names: set[str] = set()
    for part in message.parts:
        if part.kind == "tool_result":
            names |= identifiers(both_ends(part.text, _HEAD, _TAIL))
        elif part.kind == "tool_call":
            names |= identifiers(unescape(part.text))
        else:
            names |= identifiers(part.text)
        if part.kind == "text":
            names |= quoted(part.text)
    return names
