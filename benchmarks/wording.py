"""Learn which words indicate something to remember, from the lines of `dialogues.txt` and users' requests to agents.

Rules and facts are distinguished from small talk, and from single requests. `benchmarks.talk` writes the tables that
`compactor_cli/features/wording.py` reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random

import numpy as np
import numpy.typing as npt

from benchmarks.dialogues import UNSEEN, Keep, led, sections
from benchmarks.questions import Teller
from compactor_cli.features.wording import BUCKETS, SCALE, SPEAKS_AGAINST, is_pair, placed_words, word_buckets

_KINDS = {"rules": "told", "facts": "told", "talk": "talk", "reactions": "talk", "asks": "talk", "requests": "requests"}
_LED = {"rules": 0.25, "facts": 0.25, "talk": 0.1}
"""Section -> share of its lines that are also learned from with words without content before them."""
_PENALTY = 0.25
"""Penalty on the squares of the weights, relative to the mean weight of a sentence."""
_OFTEN = 3
"""Minimum occurrences of a pair of words to learn from; words of a rarer pair are together by chance."""
_LIMIT = 127
_CLOSE = 1e-14
"""Solving stops when the squared residual is below this share of the squared target."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and its kind."""

    kind: str
    """`told`, or one of SPEAKS_AGAINST."""
    text: str


def examples(keep: Keep, without: Collection[str] = UNSEEN) -> list[Example]:
    """Return the lines that `keep` accepts as sentences with filled slots, in all languages except `without`."""
    found = []
    for name, lines in sections().items():
        section, language = name.split()
        if kind := _KINDS.get(section):
            for line in filter(keep, lines if language not in without else ()):
                random = Random(line)
                teller = Teller(random)
                teller.fresh()
                said = teller.say(line)
                found.append(Example(kind, said))
                if random.random() < _LED.get(section, 0.0):
                    found.append(Example(kind, led(said, language, random)))
    return found


def learn(sentences: Sequence[Example]) -> bytes:
    """Return the tables for `features/wording.py`."""
    return b"".join(_table(sentences, other) for other in SPEAKS_AGAINST)


def _table(sentences: Sequence[Example], other: str) -> bytes:
    """Return a table of weights, fitted by least squares with a penalty. Both kinds count the same in total. The system
    is solved with one unknown per sentence, because there are fewer sentences than buckets."""
    taken = [each for each in sentences if each.kind in ("told", other)]
    told = np.array([each.kind == "told" for each in taken], dtype=np.float64)
    if not 0 < told.sum() < len(taken):
        return bytes(BUCKETS)
    share = np.sqrt(np.where(told == 1, 0.5 / told.sum(), 0.5 / (len(told) - told.sum())) * len(told))
    rows = _Rows([each.text for each in taken], share)
    weights = rows.turned(_solved(rows, (told - 0.5) * share))
    table: bytes = np.clip(np.rint(weights * SCALE), -_LIMIT, _LIMIT).astype(np.int8).tobytes()
    return table


class _Rows:
    """A sparse matrix of the sentences' words: one row per sentence, one column per bucket."""

    def __init__(self, texts: Sequence[str], share: npt.NDArray[np.float64]) -> None:
        placed = [words | pairs for words, pairs in map(placed_words, texts)]
        often = Counter(filter(is_pair, chain.from_iterable(placed)))
        told = [[word for word in found if often.get(word, _OFTEN) >= _OFTEN] for found in placed]
        buckets = [[bucket for word in found for bucket in word_buckets(word)] for found in told]
        self._texts = len(texts)
        left_out = [len(found) - len(kept) for found, kept in zip(placed, told, strict=True)]
        sizes = np.array([*map(len, buckets)])
        self._row = np.repeat(np.arange(len(texts)), sizes)
        self._bucket = np.array([*chain.from_iterable(buckets)], dtype=np.int64)
        self._value = (share / np.sqrt(np.maximum(1, sizes + left_out)))[self._row]

    def times(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the sum of the weights of each row."""
        return np.bincount(self._row, self._value * weights[self._bucket], self._texts)

    def turned(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each bucket the sum of the values of the rows that have it."""
        return np.bincount(self._bucket, self._value * values[self._row], BUCKETS)


def _solved(rows: _Rows, wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Solve by conjugate gradients, and return what each sentence adds to the weights so that its own sum of weights is
    close to `wanted`."""
    found = np.zeros_like(wanted)
    rest = step = wanted
    before = start = rest @ rest
    while before > _CLOSE * start:
        moved = rows.times(rows.turned(step)) + _PENALTY * step
        length = before / (step @ moved)
        found, rest = found + length * step, rest - length * moved
        size = rest @ rest
        before, step = size, rest + (size / before) * step
    return found
