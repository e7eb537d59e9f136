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

from benchmarks.dialogues import UNSEEN, Keep, sections, with_lead
from benchmarks.questions import FactTeller
from compactor_cli.features.wording import BUCKETS, SCALE, SPEAKS_AGAINST, is_pair, word_buckets, word_features

_KIND_OF_SECTION = {
    "rules": "told",
    "facts": "told",
    "talk": "talk",
    "reactions": "talk",
    "asks": "talk",
    "requests": "requests",
}
_LEAD_SHARES = {"rules": 0.25, "facts": 0.25, "talk": 0.1}
"""Section -> share of its lines that are also learned from with words without content before them."""
_PENALTY = 0.25
"""Penalty on the squares of the weights, relative to the mean weight of a sentence."""
_MIN_OCCURRENCES = 3
"""Minimum occurrences of a pair of words to learn from; words of a rarer pair are together by chance."""
_LIMIT = 127
_TOLERANCE = 1e-14
"""Solving stops when the squared residual is below this share of the squared target."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and its kind."""

    kind: str
    """`told`, or one of SPEAKS_AGAINST."""
    text: str


def examples(keep: Keep, without: Collection[str] = UNSEEN) -> list[Example]:
    """Return the lines that `keep` accepts as sentences with filled slots, in all languages except `without`."""
    sentences = []
    for name, lines in sections().items():
        section, language = name.split()
        if kind := _KIND_OF_SECTION.get(section):
            for line in filter(keep, lines if language not in without else ()):
                random = Random(line)
                teller = FactTeller(random)
                teller.begin_fact()
                sentence = teller.fill(line)
                sentences.append(Example(kind, sentence))
                if random.random() < _LEAD_SHARES.get(section, 0.0):
                    sentences.append(Example(kind, with_lead(sentence, language, random)))
    return sentences


def learn(sentences: Sequence[Example]) -> bytes:
    """Return the tables for `features/wording.py`."""
    return b"".join(_table(sentences, other_kind) for other_kind in SPEAKS_AGAINST)


def _table(sentences: Sequence[Example], other_kind: str) -> bytes:
    """Return a table of weights, fitted by least squares with a penalty. Both kinds count the same in total. The system
    is solved with one unknown per sentence, because there are fewer sentences than buckets."""
    selected = [example for example in sentences if example.kind in ("told", other_kind)]
    told_labels = np.array([example.kind == "told" for example in selected], dtype=np.float64)
    if not 0 < told_labels.sum() < len(selected):
        return bytes(BUCKETS)
    share = np.sqrt(
        np.where(told_labels == 1, 0.5 / told_labels.sum(), 0.5 / (len(told_labels) - told_labels.sum()))
        * len(told_labels)
    )
    rows = _Rows([example.text for example in selected], share)
    weights = rows.multiply_transposed(_solve_weights(rows, (told_labels - 0.5) * share))
    table: bytes = np.clip(np.rint(weights * SCALE), -_LIMIT, _LIMIT).astype(np.int8).tobytes()
    return table


class _Rows:
    """A sparse matrix of the sentences' words: one row per sentence, one column per bucket."""

    def __init__(self, texts: Sequence[str], share: npt.NDArray[np.float64]) -> None:
        placed = [words | pairs for words, pairs in map(word_features, texts)]
        often = Counter(filter(is_pair, chain.from_iterable(placed)))
        frequent_words = [
            [word for word in words_found if often.get(word, _MIN_OCCURRENCES) >= _MIN_OCCURRENCES]
            for words_found in placed
        ]
        buckets = [[bucket for word in words_found for bucket in word_buckets(word)] for words_found in frequent_words]
        self._texts = len(texts)
        left_out = [
            len(words_found) - len(words_kept) for words_found, words_kept in zip(placed, frequent_words, strict=True)
        ]
        sizes = np.array([*map(len, buckets)])
        self._row = np.repeat(np.arange(len(texts)), sizes)
        self._bucket = np.array([*chain.from_iterable(buckets)], dtype=np.int64)
        self._value = (share / np.sqrt(np.maximum(1, sizes + left_out)))[self._row]

    def multiply(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the sum of the weights of each row."""
        return np.bincount(self._row, self._value * weights[self._bucket], self._texts)

    def multiply_transposed(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each bucket the sum of the values of the rows that have it."""
        return np.bincount(self._bucket, self._value * values[self._row], BUCKETS)


def _solve_weights(rows: _Rows, targets: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Solve by conjugate gradients, and return what each sentence adds to the weights so that its own sum of weights is
    close to `targets`."""
    solution = np.zeros_like(targets)
    residual = step = targets
    before = start = residual @ residual
    while before > _TOLERANCE * start:
        moved = rows.multiply(rows.multiply_transposed(step)) + _PENALTY * step
        length = before / (step @ moved)
        solution, residual = solution + length * step, residual - length * moved
        size = residual @ residual
        before, step = size, residual + (size / before) * step
    return solution
