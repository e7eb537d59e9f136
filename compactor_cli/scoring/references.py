"""Count which messages later ones refer to, by id or by using their identifiers again (seed 000)."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message, Part
from compactor_cli.text.ends import both_ends
from compactor_cli.text.identifiers import chunks, identifier, quoted, unescape

_HEAD, _TAIL = 3_000, 1_000
"""Characters at the ends of a tool output whose identifiers count. What names thousands of things is referred to by
chance."""
_NOWHERE = -1
_SHORTEST_ID = 4


class _Origins(dict[bytes, int]):
    """Chunk -> index of the message in which its identifier first appeared, or _NOWHERE where it has none.

    A dict, so that chunks seen before cost no function call.
    """

    def __init__(self) -> None:
        self.first_seen: dict[str, int] = {}
        self.message = 0
        """Index of the message whose chunks are looked up."""

    def __missing__(self, chunk: bytes) -> int:
        name = identifier(chunk.decode("ascii"))
        self[chunk] = origin = self.first_seen.setdefault(name, self.message) if name else _NOWHERE
        return origin


def reference_counts(messages: Sequence[Message]) -> list[int]:
    """Return for each message how many later ones name its id or use an identifier that first appeared in it.

    One pass with an index of first appearances; linear in the length of the transcript.
    """
    origins = _Origins()
    origin_of, first_seen = origins.__getitem__, origins.first_seen
    counts = [0] * (len(messages) + 1)  # the last one is of no message: that of _NOWHERE
    for message in messages:
        index = origins.message = message.index
        sources: set[int] = set()
        for part in message.parts:
            sources.update(map(origin_of, chunks(_read(part))))
        for part in message.parts:
            if part.kind == "text":
                sources.update(first_seen.setdefault(name, index) for name in quoted(part.text))
        sources.discard(index)
        for source in sources:
            counts[source] += 1
        if len(message.id) >= _SHORTEST_ID:
            first_seen.setdefault(message.id, index)
    return counts[:-1]


def _read(part: Part) -> str:
    """Return the text of a part whose identifiers count."""
    if part.kind == "tool_result":
        return both_ends(part.text, _HEAD, _TAIL)
    return unescape(part.text) if part.kind == "tool_call" else part.text
