"""What chunks of text hold: the ids of their terms, and the values of these; each distinct chunk is looked at once."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from compactor_cli.text.terms import judge


class ChunkTerms(dict[str, tuple[int, ...]]):
    """Chunk -> the ids of its terms; chunks seen before cost no function call."""

    def __init__(self, id_of: Callable[[str, str], int], wanted: frozenset[str], *, words: bool) -> None:
        self._id_of = id_of
        self._wanted = wanted
        self._words = words

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        ids: list[int] = []
        for text, kind in judge(chunk):
            if self._words or kind != "word" or text in self._wanted:
                ids.append(self._id_of(text, kind))
        self[chunk] = found = tuple(ids)
        return found


class ChunkValues(dict[str, float]):
    """Chunk -> the value of its terms."""

    def __init__(self, ids: dict[str, tuple[int, ...]], worth: Callable[[int], float]) -> None:
        self._ids = ids
        self._worth = worth

    def __missing__(self, chunk: str) -> float:
        ids = self._ids[chunk]
        self[chunk] = value = fsum(map(self._worth, ids)) if ids else 0.0
        return value
