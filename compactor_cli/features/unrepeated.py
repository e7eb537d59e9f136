"""Order statements such that repetitions of earlier statements, and statements that were replaced, come later."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
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
_MIN_SHARED_WORDS, _MAX_WORD_STATEMENTS = 0.5, 8
"""Minimum share of the words of a statement with figures that a later one by the same speaker, with other figures,
must contain to replace it; and the maximum number of statements with a word for it to indicate the subject."""
_REPLACED_FACTOR = 0.3
"""Factor for the worth of a replaced statement."""


def rank_unrepeated(statements: Sequence[Statement], values: Sequence[float], tokens: Sequence[int]) -> Iterator[int]:
    """Yield the indices of statements, those with the most worth for their tokens first, given what was yielded before.

    What an agent repeats from the user, or the user from a proposal, has worth only once. If a speaker repeats a
    statement word for word, only the newest one is yielded. If the same speaker later gives other figures, that
    statement counts instead of the older one.
    """
    words_of = [[*dict.fromkeys(words(statement.text))] for statement in statements]
    holders = Counter(word for own_words in words_of for word in own_words)
    rarity = {word: log((len(statements) + 1) / count) for word, count in holders.items()}
    totals = [fsum(map(rarity.__getitem__, own_words)) or 1.0 for own_words in words_of]
    replaced = _replaced_statements(statements, words_of, rarity.__getitem__)
    seen_words: set[str] = set()

    def worth(index: int) -> float:
        repeated = fsum(rarity[word] for word in words_of[index] if word in seen_words) / totals[index]
        value = values[index] * (_REPLACED_FACTOR if index in replaced else 1.0) + _BASE_WORTH
        return value * (1 - _REPETITION_LOSS * repeated) / float(max(1, tokens[index]) ** _TOKEN_EXPONENT)

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


def _replaced_statements(
    statements: Sequence[Statement], words_of: Sequence[Sequence[str]], rarity: Callable[[str], float]
) -> set[int]:
    """Return the statements with figures that a later one by the same speaker mostly repeats with other figures."""
    figures = [{word for word in own_words if any(map(str.isdigit, word))} for own_words in words_of]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own_words in enumerate(words_of):
        for word in own_words if figures[index] else ():
            if word not in figures[index]:
                holders[word].append(index)
    found: set[int] = set()
    for index, own_words in enumerate(words_of):
        subject_words = [word for word in own_words if word not in figures[index]] if figures[index] else []
        shared: defaultdict[int, float] = defaultdict(float)
        for word in subject_words:
            for other in holders[word] if len(holders[word]) <= _MAX_WORD_STATEMENTS else ():
                shared[other] += rarity(word)
        total = fsum(map(rarity, subject_words))
        if any(
            other > index
            and weight >= _MIN_SHARED_WORDS * total
            and statements[other].speaker == statements[index].speaker
            and figures[other] - figures[index]
            and figures[index] - figures[other]
            for other, weight in shared.items()
        ):
            found.add(index)
    return found
