"""Estimate from the words of a sentence whether it is something to remember, or small talk, or a single request.

The weights were learned from written sentences in many languages (`python -m benchmarks.talk`). Words are read in
pieces of a few characters, so that an unknown form counts by what it shares with known ones. The weight of a piece
is in a bucket chosen by checksum. Some pieces share a bucket, and no list of pieces is needed.
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
"""File next to the shipped profile: the tables of SPEAKS_AGAINST, with a signed byte per bucket."""
_WORD_BUCKETS, _PAIR_BUCKETS = 1 << 18, 1 << 18
"""Numbers of buckets for pieces of words and for pairs of words. A pair that was not learned rarely shares a bucket,
and so counts nothing."""
BUCKETS = _WORD_BUCKETS + _PAIR_BUCKETS
SPEAKS_AGAINST = "talk", "requests"
"""What each table distinguishes from things to remember."""
SCALE = 100
"""Scale of the weights in the file, which are signed bytes."""
_MIN_PIECE_CHARS, _MAX_PIECE_CHARS = 3, 5
"""Minimum and maximum length of a piece of a word."""
_FIRST_MARK, _LAST_MARK = "^^", "$$"
"""Marks for the first and the last word of a sentence, which count additionally as such."""
_NEAR_SEPARATOR, _FAR_SEPARATOR = " ", "  "
"""Separators in a pair of words; in the second kind, a word between them is left out."""
_NUMBER_STAND_IN = "0"
"""Stands for any number."""
_MAX_WORD_CHARS = 40
"""Maximum number of characters of a word that are read; a longer one is data."""
_CACHED_WORDS = 20_000
"""Number of words in the cache; people use the same ones again and again."""
FIRST_WIDE = "\u2e80"
"""First character of the scripts in which a character says as much as a piece of a word."""
_SENTENCE_END = r"(?<=[.!?…])\s+|(?<=[。！？।॥۔؟።])|\n+"
SENTENCE = compiled_later(_SENTENCE_END)
"""The end of a sentence, in the text that the weights were learned from."""
_CLAUSE_END = compiled_later(_SENTENCE_END + r"|\s+[-–—]+\s+|;\s+")
"""The end of a sentence, in text that is evaluated. People may combine a rule and small talk in one sentence."""


class Wordings:
    """Learned weights of the pieces of words."""

    def __init__(self, data: bytes) -> None:
        """Take the bytes of a file: one table of BUCKETS signed bytes for each of SPEAKS_AGAINST."""
        view = memoryview(data).cast("b")
        self.tables = [view[index * BUCKETS : (index + 1) * BUCKETS] for index in range(len(SPEAKS_AGAINST))]
        self._weights = lru_cache(maxsize=_CACHED_WORDS)(self._weigh)

    def text_values(self, text: str) -> list[float]:
        """Return how strongly the words of a text indicate something to remember, compared with each of
        SPEAKS_AGAINST. Positive values indicate something to remember, negative ones the other. The part of the text
        with the highest value counts. Values are 0 for a text without words."""
        values_by_part = [self.sentence_values(part) for part in _CLAUSE_END.split(text) if part]
        return [max(values) for values in zip(*values_by_part, strict=True)] or [0.0] * len(SPEAKS_AGAINST)

    def sentence_values(self, sentence: str) -> list[float]:
        """Return the values of `text_values` for one sentence."""
        found, pairs = word_features(sentence)
        if not found:
            return [0.0] * len(SPEAKS_AGAINST)
        buckets = [*map(_pair_bucket, pairs)]  # not cached like words, because most pairs occur once
        pieces, *sums = map(sum, zip(*map(self._weights, found), strict=True))
        scale = SCALE * sqrt(pieces + len(buckets))
        told = zip(self.tables, sums, strict=True)
        return [(each + sum(map(table.__getitem__, buckets))) / scale for table, each in told]

    def _weigh(self, word: str) -> tuple[int, ...]:
        """Return the number of pieces of a word, and the sum of their weights in each table."""
        buckets = word_buckets(word)
        return len(buckets), *(sum(map(table.__getitem__, buckets)) for table in self.tables)


def word_features(sentence: str) -> tuple[set[str], set[str]]:
    """Return the words of a sentence, of which the first and the last are also there marked as such, and pairs of words
    that follow each other directly or after one more word. "I prefer" says more than its single words, and questions
    and wishes begin in few ways."""
    all_words = words(sentence)
    paired = [_NUMBER_STAND_IN if word.isdigit() else word for word in all_words]
    near, far = (
        map(_NEAR_SEPARATOR.join, pairwise(paired)),
        map(_FAR_SEPARATOR.join, zip(paired, paired[2:], strict=False)),
    )
    return ({*all_words, _FIRST_MARK + all_words[0], all_words[-1] + _LAST_MARK} if all_words else set()), {*near, *far}


def word_buckets(word: str) -> list[int]:
    """Return the buckets of the distinct pieces of a word, or of the beginning of a very long one; or the bucket of
    a pair."""
    if is_pair(word):
        return [_pair_bucket(word)]
    return [crc32(piece.encode()) % _WORD_BUCKETS for piece in dict.fromkeys(_pieces(word))]


def _pair_bucket(pair: str) -> int:
    return _WORD_BUCKETS + crc32(pair.encode()) % _PAIR_BUCKETS


def is_pair(word: str) -> bool:
    """Return whether this is a pair of words."""
    return _NEAR_SEPARATOR in word


def _pieces(word: str) -> Iterable[str]:
    """Yield a word and its runs of a few characters, with its ends marked. A number yields only a placeholder; in
    scripts without spaces, single characters are included. A word marked as first or last yields only itself."""
    if word.startswith(_FIRST_MARK) or word.endswith(_LAST_MARK):
        yield word
        return
    word = word[:_MAX_WORD_CHARS]
    if word.isdigit():
        yield _NUMBER_STAND_IN
        return
    yield word
    if word[0] >= FIRST_WIDE:
        yield from word
    marked = f"^{word}$"
    for length in range(_MIN_PIECE_CHARS, _MAX_PIECE_CHARS + 1):
        for start in range(len(marked) - length + 1):
            yield marked[start : start + length]


@cache
def shipped_wordings() -> Wordings:
    """Return the weights that ship with the package."""
    data = get_data("compactor_cli.profiles", WORDINGS)
    assert data is not None
    return Wordings(data)
