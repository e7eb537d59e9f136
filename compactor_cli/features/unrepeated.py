"""Order statements such that repetitions of earlier statements come later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from math import fsum, log

from compactor_cli.features.talk import Statement
from compactor_cli.features.talk_words import words

_TOKEN_EXPONENT = 0.5
"""Exponent of the tokens by which a statement's worth is divided: 1 means worth per token, 0 ignores the length."""
_BASE_WORTH = 0.05
"""Worth of any statement. If none stands out, short ones say more than long ones."""
_REPETITION_LOSS = 0.7
"""Share of its worth that a statement loses if all of its words are in the statements before it."""


def rank_unrepeated(statements: Sequence[Statement], values: Sequence[float], tokens: Sequence[int]) -> Iterator[int]:
    """Yield the indices of statements, those with the most worth for their tokens first, given what was yielded before.

    What an agent repeats from the user, or the user from a proposal, has worth only once. If a speaker repeats a
    statement word for word, only the newest one is yielded.
    """
    words_of = [[*dict.fromkeys(words(statement.text))] for statement in statements]
    holders = Counter(word for own_words in words_of for word in own_words)
    rarity = {word: log((len(statements) + 1) / count) for word, count in holders.items()}
    totals = [fsum(map(rarity.__getitem__, own_words)) or 1.0 for own_words in words_of]
    seen_words: set[str] = set()

    def worth(index: int) -> float:
        repeated = fsum(rarity[word] for word in words_of[index] if word in seen_words) / totals[index]
        return (
            (values[index] + _BASE_WORTH)
            * (1 - _REPETITION_LOSS * repeated)
            / float(max(1, tokens[index]) ** _TOKEN_EXPONENT)
        )

    newest = {(each.speaker, " ".join(each.text.split())): index for index, each in enumerate(statements)}
    # worth only decreases as more is said, so it is updated when a statement comes up
    heap = [(-worth(index), -index) for index in newest.values()]
    heapify(heap)
    while heap:
        old_worth, index = heap[0]
        if (new_worth := -worth(-index)) > old_worth:
            heapreplace(heap, (new_worth, index))
            continue
        heappop(heap)
        seen_words.update(words_of[-index])
        yield -index
