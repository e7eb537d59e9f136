"""Count which messages later ones refer to, by id or by using their identifiers again (seed 000)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, repeat

from compactor_cli.model.message import Message
from compactor_cli.text.ends import both_ends
from compactor_cli.text.identifiers import chunks, identifier, quoted, unescape

_HEAD, _TAIL = 3_000, 1_000
"""Characters at the ends of a tool output whose identifiers count. What names thousands of things is referred to by
chance."""
_NOWHERE = -1
_SHORTEST_ID = 4


class _Origins(dict[str, int]):
    """Chunk -> index of the message in which its identifier first appeared, or _NOWHERE where it has none.

    A dict, so that chunks seen before cost no function call.
    """

    def __init__(self) -> None:
        self.first_seen: dict[str, int] = {}
        self.message = 0
        """Index of the message whose chunks are looked up."""

    def __missing__(self, chunk: str) -> int:
        name = identifier(chunk)
        self[chunk] = origin = self.first_seen.setdefault(name, self.message) if name else _NOWHERE
        return origin


def reference_counts(messages: Sequence[Message]) -> list[int]:
    """For each message, how many later ones name its id or use an identifier that first appeared in it.

    One pass with an index of first appearances; linear in the length of the transcript.
    """
    origins = _Origins()
    counts: Counter[int] = Counter()
    for message in messages:
        index = origins.message = message.index
        sources = set(map(origins.__getitem__, chain.from_iterable(map(chunks, _texts(message)))))
        sources.update(map(origins.first_seen.setdefault, _quoted(message), repeat(index)))
        sources.difference_update((index, _NOWHERE))
        counts.update(sources)
        if len(message.id) >= _SHORTEST_ID:
            origins.first_seen.setdefault(message.id, index)
    return [counts[index] for index in range(len(messages))]


def _texts(message: Message) -> Iterator[str]:
    """Yield the texts whose identifiers count."""
    for part in message.parts:
        if part.kind == "tool_result":
            yield both_ends(part.text, _HEAD, _TAIL)
        else:
            yield unescape(part.text) if part.kind == "tool_call" else part.text


def _quoted(message: Message) -> set[str]:
    return {name for part in message.parts if part.kind == "text" for name in quoted(part.text)}
