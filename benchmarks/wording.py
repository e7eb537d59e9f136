"""Learns which words speak for something to remember, from the lines of `dialogues.txt` and what users asked of agents.

Rules and facts are set against small talk, and against single requests. `benchmarks.talk` writes the tables that
`compactor_cli/features/wording.py` reads.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

from benchmarks.dialogues import UNSEEN, Keep, sections
from benchmarks.questions import Teller
from compactor_cli.features.talk_words import words
from compactor_cli.features.wording import BUCKETS, SCALE, SPEAKS_AGAINST, word_buckets

_KINDS = {"rules": "told", "facts": "told", "talk": "talk", "reactions": "talk", "asks": "talk", "requests": "requests"}
_PENALTY = 1.0
"""On the squares of the weights, beside the mean weight of a sentence."""
_LIMIT = 127


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence, and what it is."""

    kind: str
    """`told`, or one of SPEAKS_AGAINST."""
    text: str


def examples(keep: Keep, without: Collection[str] = UNSEEN) -> list[Example]:
    """Return the sentences of the lines that `keep` takes, with slots filled, of all languages but those `without`."""
    found = []
    for name, lines in sections().items():
        section, language = name.split()
        if kind := _KINDS.get(section):
            for line in filter(keep, lines if language not in without else ()):
                teller = Teller(Random(line))
                teller.fresh()
                found.append(Example(kind, teller.say(line)))
    return found


def learn(sentences: Sequence[Example]) -> bytes:
    """Return the tables for `features/wording.py`."""
    return b"".join(_table(sentences, other) for other in SPEAKS_AGAINST)


def _table(sentences: Sequence[Example], other: str) -> bytes:
    """Least squares with a penalty, both kinds counting alike, solved by sentences: they are fewer than buckets."""
    taken = [each for each in sentences if each.kind in ("told", other)]
    told = np.array([each.kind == "told" for each in taken], dtype=np.float64)
    if not 0 < told.sum() < len(taken):
        return bytes(BUCKETS)
    share = np.sqrt(np.where(told == 1, 0.5 / told.sum(), 0.5 / (len(told) - told.sum())) * len(told))
    rows = _rows([each.text for each in taken]) * share[:, None].astype(np.float32)
    beside = (rows @ rows.T).astype(np.float64) + _PENALTY * np.eye(len(taken))
    weights = rows.T @ np.linalg.solve(beside, (told - 0.5) * share)
    table: bytes = np.clip(np.rint(weights * SCALE), -_LIMIT, _LIMIT).astype(np.int8).tobytes()
    return table


def _rows(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    rows = np.zeros((len(texts), BUCKETS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        buckets = [bucket for word in set(words(text)) for bucket in word_buckets(word)]
        np.add.at(row, buckets, 1 / np.sqrt(max(1, len(buckets))))
    return rows
