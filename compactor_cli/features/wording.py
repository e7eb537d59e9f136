"""What the words of a sentence speak for: something to remember, or small talk, or a single request.

The weights were learned from written sentences of many languages (`python -m benchmarks.talk`). Words are read in
pieces of a few characters, so that a form that was not among the sentences counts by what it has in common with those
that were. A weight stands in the bucket of its piece, which is a checksum: some pieces share one, none needs a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import sqrt
from pkgutil import get_data
from zlib import crc32

from compactor_cli.features.talk_words import words
from compactor_cli.text.patterns import compiled_later

WORDINGS = "wording.bin"
"""File beside the shipped profile: the tables of SPEAKS_AGAINST, with a signed byte for each bucket."""
BUCKETS = 1 << 16
SPEAKS_AGAINST = "talk", "requests"
"""What each of the tables tells from what has to be remembered."""
SCALE = 100
"""Of the weights in the file, which are signed bytes."""
_SHORTEST, _LONGEST = 3, 5
"""Characters of a piece of a word."""
_FIRST_WIDE = "\u2e80"
"""Of the scripts in which a character says as much as a part of a word."""
_SENTENCE = compiled_later(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
Tables = Sequence[Sequence[int]]
"""For each of SPEAKS_AGAINST a weight for each bucket."""


def sentence_wordings(text: str, tables: Tables) -> list[float]:
    """Return how much the words of a text speak for something to remember, beside each of SPEAKS_AGAINST: above 0 for
    it, below 0 for the other, by the sentence that speaks for it most. 0 for a text without words."""
    found = [wording(sentence, tables) for sentence in _SENTENCE.split(text) if sentence]
    return [max(values) for values in zip(*found, strict=True)] or [0.0] * len(SPEAKS_AGAINST)


def wording(sentence: str, tables: Tables) -> list[float]:
    """Return the same of one sentence."""
    buckets = text_buckets(sentence)
    size = SCALE * sqrt(max(1, len(buckets)))
    return [sum(map(table.__getitem__, buckets)) / size for table in tables]


def text_buckets(text: str) -> list[int]:
    """Return the buckets of the pieces of the words of a text, each piece once."""
    pieces = {piece for word in words(text) for piece in _pieces(word)}
    return sorted(crc32(piece.encode()) % BUCKETS for piece in pieces)


def _pieces(word: str) -> Iterable[str]:
    """Yield a word, and its runs of a few characters with its ends marked; of a number only that it is one, and in
    scripts without blanks the characters, too."""
    if word.isdigit():
        yield "0"
        return
    yield word
    if word[0] >= _FIRST_WIDE:
        yield from word
    marked = f"^{word}$"
    for length in range(_SHORTEST, _LONGEST + 1):
        for start in range(len(marked) - length + 1):
            yield marked[start : start + length]


@cache
def shipped_tables() -> Tables:
    """Return the weights that the package has."""
    data = get_data("compactor_cli.profiles", WORDINGS)
    assert data is not None
    return parse_tables(data)


def parse_tables(data: bytes) -> Tables:
    """Return the weights of a file: signed bytes, one table behind the other."""
    view = memoryview(data).cast("b")
    return [view[at * BUCKETS : (at + 1) * BUCKETS] for at in range(len(SPEAKS_AGAINST))]
