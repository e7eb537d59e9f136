"""Words that a conversation is about, and how much a sentence of another text says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from math import log

from compactor_cli.text.subjects import subject_terms

_STEM = 5
"""Characters by which forms of a word are told to be the same, such as `cancel` and `cancellation`."""


class Topic:
    """What a text says of the words that a conversation is about: those count most that few of its lines have."""

    def __init__(self, about: Iterable[str], text: str) -> None:
        """Take texts of the conversation, and the text whose sentences are weighed."""
        lines = [_stems(line) for line in text.split("\n") if line.strip()]
        held = Counter(chain.from_iterable(lines))
        all_lines = log(len(lines)) if len(lines) > 1 else 1.0
        wanted = held.keys() & set(chain.from_iterable(map(_stems, about)))
        self._weights = {stem: log(len(lines) / held[stem]) / all_lines for stem in sorted(wanted)}

    def share(self, sentence: str) -> float:
        """Return the sum of the weights of the words in a sentence, each from 0 to 1."""
        return sum(self._weights.get(stem, 0.0) for stem in sorted(_stems(sentence)))


def _stems(text: str) -> set[str]:
    """Return the beginnings of the words of a text; those of a name in snake case are words each."""
    return {term[:_STEM] for term in subject_terms(text.replace("_", " "))}
