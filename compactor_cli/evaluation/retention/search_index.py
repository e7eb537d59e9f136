"""Index texts for looking up many identifiers: one pass over the words, then one lookup per name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from compactor_cli.evaluation.retention.measured_names import COMMON, readable, spellings

_WORD = re.compile(r"\w+")
_MIN_NEIGHBOUR_CHARS = 3


class Occurrence(NamedTuple):
    """An occurrence of an identifier: the piece, and its range of words in the haystack."""

    piece: int
    first: int
    last: int


class Haystack:
    """Pieces of text with an index of their words. White space is collapsed, and escapes inside strings are resolved.
    Identifiers match whole words only, and never across two pieces."""

    def __init__(self, texts: Iterable[str]) -> None:
        pieces = [" ".join(readable(text).split()) for text in texts]
        self._text = "\n".join(pieces)
        self._words: list[str] = []
        self._starts: list[int] = []
        self._places: dict[str, list[int]] = {}
        for number, match in enumerate(_WORD.finditer(self._text)):
            word = match.group()
            self._words.append(word)
            self._starts.append(match.start())
            self._places.setdefault(word, []).append(number)
        self._piece_starts: list[int] = []
        position = 0
        for piece in pieces:
            self._piece_starts.append(position)
            position += len(piece) + 1

    def find(self, name: str) -> list[Occurrence]:
        """Return all occurrences of an identifier, in order; numbers are searched in each spelling."""
        hits = [hit for spelling in spellings(name) for hit in self._exact(spelling)]
        return sorted(hits) if len(hits) > 1 else hits

    def neighbours(self, hit: Occurrence, reach: int, pieces: int | None = None) -> frozenset[str]:
        """Return the informative words within `reach` words of a hit, in lower case. `pieces`: use only the first ones.
        The words may be in neighbouring pieces, since a result begins where its call ends."""
        end = len(self._words)
        if pieces is not None and pieces < len(self._piece_starts):
            end = bisect_left(self._starts, self._piece_starts[pieces])
        nearby_words = self._words[max(0, hit.first - reach) : hit.first]
        nearby_words += self._words[hit.last : min(end, hit.last + reach)]
        return frozenset(
            word for word in map(str.lower, nearby_words) if len(word) >= _MIN_NEIGHBOUR_CHARS and word not in COMMON
        )

    def _exact(self, name: str) -> Iterable[Occurrence]:
        words = _WORD.findall(name)
        places = [self._places.get(word, ()) for word in words]
        if not all(places):
            return
        rarest = min(range(len(words)), key=lambda index: len(places[index]))
        before = name.index(words[0])  # characters such as the dashes of a flag
        number = name.replace(".", "").isdigit()  # a digit next to it would make it part of another number
        for position in places[rarest]:
            first, last = position - rarest, position - rarest + len(words)
            if first < 0 or self._words[first:last] != words:
                continue
            start = self._starts[first] - before
            if start < 0 or not self._text.startswith(name, start):
                continue
            if number and self._in_number(start, start + len(name)):
                continue
            yield Occurrence(bisect_right(self._piece_starts, start) - 1, first, last)

    def _in_number(self, start: int, end: int) -> bool:
        """Return whether the match is part of a longer number, separated by a full stop or comma."""
        before, after = self._text[max(0, start - 2) : start], self._text[end : end + 2]
        return (before[1:] in (".", ",") and before[:1].isdigit()) or (after[:1] == "." and after[1:].isdigit())
