"""What the words of a sentence speak for: something to remember, or small talk, or a single request.

The weights were learned from written sentences of many languages (`python -m benchmarks.talk`). Words are read in
pieces of a few characters, so that a form that was not among the sentences counts by what it has in common with those
that were. A weight stands in the bucket of its piece, which is a checksum: some pieces share one, none needs a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from math import sqrt
from pkgutil import get_data
from zlib import crc32

from compactor_cli.features.talk_words import words
from compactor_cli.text.patterns import compiled_later

WORDINGS = "wording.bin"
"""File beside the shipped profile: the tables of SPEAKS_AGAINST, with a signed byte for each bucket."""
_OF_WORDS, _OF_PAIRS = 1 << 18, 1 << 18
"""Buckets of the pieces of words, and of pairs of words: a pair that was not learned rarely shares one, and counts
nothing."""
BUCKETS = _OF_WORDS + _OF_PAIRS
SPEAKS_AGAINST = "talk", "requests"
"""What each of the tables tells from what has to be remembered."""
SCALE = 100
"""Of the weights in the file, which are signed bytes."""
_SHORTEST, _LONGEST = 3, 5
"""Characters of a piece of a word."""
_FIRST, _LAST = "^^", "$$"
"""Stand beside the first and the last word of a sentence, which count as such besides."""
_PAIR, _FAR_PAIR = " ", "  "
"""Stand between the words of a pair, in the second of which a word between them is left out."""
_NUMBER = "0"
"""Stands for any number."""
_LONGEST_WORD = 40
"""Characters of a word that are read; what is longer is data."""
_WORDS = 20_000
"""Words that are remembered; people say the same ones again and again."""
FIRST_WIDE = "\u2e80"
"""Of the scripts in which a character says as much as a part of a word."""
_END = r"(?<=[.!?…])\s+|(?<=[。！？।॥۔؟።])|\n+"
SENTENCE = compiled_later(_END)
"""Where a sentence ends, of which the words were learned."""
_PART = compiled_later(_END + r"|\s+[-–—]+\s+|;\s+")
"""Where one ends of which the words are weighed: what people run into one sentence may be a rule and small talk."""


class Wordings:
    """Learned weights of the pieces of words."""

    def __init__(self, data: bytes) -> None:
        """Take the bytes of a file: for each of SPEAKS_AGAINST a table of BUCKETS signed bytes."""
        view = memoryview(data).cast("b")
        self.tables = [view[at * BUCKETS : (at + 1) * BUCKETS] for at in range(len(SPEAKS_AGAINST))]
        self._weights = lru_cache(maxsize=_WORDS)(self._weigh)

    def of_text(self, text: str) -> list[float]:
        """Return how much the words of a text speak for something to remember, beside each of SPEAKS_AGAINST: above 0
        for it, below 0 for the other, by the part of it that speaks for it most. 0 for a text without words."""
        found = [self.of(part) for part in _PART.split(text) if part]
        return [max(values) for values in zip(*found, strict=True)] or [0.0] * len(SPEAKS_AGAINST)

    def of(self, sentence: str) -> list[float]:
        """Return the same of one sentence."""
        weights = [*map(self._weights, placed_words(sentence))]
        if not weights:
            return [0.0] * len(SPEAKS_AGAINST)
        pieces, *sums = map(sum, zip(*weights, strict=True))
        return [each / (SCALE * sqrt(pieces)) for each in sums]

    def _weigh(self, word: str) -> tuple[int, ...]:
        """Return how many pieces a word has, and the sum of their weights in each table."""
        buckets = word_buckets(word)
        return len(buckets), *(sum(map(table.__getitem__, buckets)) for table in self.tables)


def placed_words(sentence: str) -> set[str]:
    """Return the words of a sentence, the pairs of those that follow on each other, directly or behind one more, and
    the first and the last word marked as such: "I prefer" says more than its words, and questions and wishes begin in
    few ways."""
    found = words(sentence)
    paired = [_NUMBER if word.isdigit() else word for word in found]
    near, far = map(_PAIR.join, pairwise(paired)), map(_FAR_PAIR.join, zip(paired, paired[2:], strict=False))
    return {*found, *near, *far, _FIRST + found[0], found[-1] + _LAST} if found else set()


def word_buckets(word: str) -> list[int]:
    """Return the buckets of the pieces of a word, each piece once, of a very long one those of its beginning; the
    bucket of a pair."""
    if is_pair(word):
        return [_OF_WORDS + crc32(word.encode()) % _OF_PAIRS]
    return [crc32(piece.encode()) % _OF_WORDS for piece in dict.fromkeys(_pieces(word))]


def is_pair(word: str) -> bool:
    """Return whether it is two words of a sentence."""
    return _PAIR in word


def _pieces(word: str) -> Iterable[str]:
    """Yield a word, and its runs of a few characters with its ends marked; of a number only that it is one, and in
    scripts without blanks the characters, too. Of one that is marked as the first or the last nothing but that."""
    if word.startswith(_FIRST) or word.endswith(_LAST):
        yield word
        return
    word = word[:_LONGEST_WORD]
    if word.isdigit():
        yield _NUMBER
        return
    yield word
    if word[0] >= FIRST_WIDE:
        yield from word
    marked = f"^{word}$"
    for length in range(_SHORTEST, _LONGEST + 1):
        for start in range(len(marked) - length + 1):
            yield marked[start : start + length]


@cache
def shipped_wordings() -> Wordings:
    """Return the weights that the package has."""
    data = get_data("compactor_cli.profiles", WORDINGS)
    assert data is not None
    return Wordings(data)
