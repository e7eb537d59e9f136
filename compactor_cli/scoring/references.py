"""Which messages later ones refer to, by id or by using their identifiers again (seed 000)."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import identifiers, quoted, unescape

_HEAD, _TAIL = 3_000, 1_000
"""Characters of a tool output whose identifiers count."""


def reference_counts(messages: Sequence[Message]) -> list[int]:
    """For each message, how many later ones name its id or use an identifier that first appeared in it.

    One pass with an index of first appearances; linear in the length of the transcript.
    """
    first_seen: dict[str, int] = {}
    counts = [0] * len(messages)
    for message in messages:
        names = _names(message)
        for origin in set(map(first_seen.get, names)):
            if origin is not None:
                counts[origin] += 1
        first_seen.update({name: message.index for name in names if name not in first_seen})
        if len(message.id) >= 4:
            first_seen.setdefault(message.id, message.index)
    return counts


def _ends(text: str) -> str:
    """Head and tail of a long tool output. What names thousands of things is referred to by chance."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def _names(message: Message) -> set[str]:
    if len(message.parts) == 1 and message.parts[0].kind == "tool_result":
        return identifiers(_ends(message.parts[0].text))
    names: set[str] = set()
    for part in message.parts:
        if part.kind == "tool_call":
            names |= identifiers(unescape(part.text))
        elif part.text:
            names |= identifiers(_ends(part.text) if part.kind == "tool_result" else part.text)
        if part.kind == "text":
            names |= quoted(part.text)
    return names
