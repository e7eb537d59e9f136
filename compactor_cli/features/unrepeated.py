"""An order of statements in which what says again what stands before it comes later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from math import fsum, log

from compactor_cli.features.talk_words import words

_COST = 0.5
"""Power of the tokens that a statement's worth is divided by: 1 is worth per token, 0 does not look at the length."""
_ANYTHING = 0.05
"""Worth of any statement: where none stands out, short ones tell more than long ones."""
_REPEATED = 0.7
"""What a statement loses when all of its words stand in those before it."""


def rank_unrepeated(
    texts: Sequence[str], values: Sequence[float], tokens: Sequence[int], known: str = ""
) -> Iterator[int]:
    """Yield the indices of statements, those first that are worth most for their tokens beside what was yielded before.
    `known`: what stands anyway.

    What an agent repeats of what it was told, or the user of what was proposed, is worth its room once.
    """
    words_of = [[*dict.fromkeys(words(text))] for text in texts]
    holders = Counter(word for own in words_of for word in own)
    rarity = {word: log((len(texts) + 1) / count) for word, count in holders.items()}
    totals = [fsum(map(rarity.__getitem__, own)) or 1.0 for own in words_of]
    said = set(words(known))

    def worth(index: int) -> float:
        repeated = fsum(rarity[word] for word in words_of[index] if word in said) / totals[index]
        return (values[index] + _ANYTHING) * (1 - _REPEATED * repeated) / float(max(1, tokens[index]) ** _COST)

    # worth only falls as more is said: it is brought up to date when it is a statement's turn
    heap = [(-worth(index), -index) for index in range(len(texts))]
    heapify(heap)
    while heap:
        old, index = heap[0]
        if (new := -worth(-index)) > old:
            heapreplace(heap, (new, index))
            continue
        heappop(heap)
        said.update(words_of[-index])
        yield -index
