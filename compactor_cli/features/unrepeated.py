"""An order of statements in which what says again what stands before it comes later, and what was replaced, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from math import fsum, log

from compactor_cli.features.talk import Statement
from compactor_cli.features.talk_words import words

_COST = 0.5
"""Power of the tokens that a statement's worth is divided by: 1 is worth per token, 0 does not look at the length."""
_ANYTHING = 0.05
"""Worth of any statement: where none stands out, short ones tell more than long ones."""
_REPEATED = 0.7
"""What a statement loses when all of its words stand in those before it."""
_SAME, _COMMON = 0.5, 8
"""Share of the words of a statement with figures from which on a later one of the same speaker, with other figures,
replaces it; and statements up to which a word that both have tells that they speak of the same."""
_REPLACED = 0.3
"""What a statement counts then."""


def rank_unrepeated(statements: Sequence[Statement], values: Sequence[float], tokens: Sequence[int]) -> Iterator[int]:
    """Yield the indices of statements, those first that are worth most for their tokens beside what was yielded before.

    What an agent repeats of what it was told, or the user of what was proposed, is worth its room once; of what one
    says again word for word only the newest is yielded. What the same speaker says later with other figures counts
    instead of the older statement.
    """
    words_of = [[*dict.fromkeys(words(statement.text))] for statement in statements]
    holders = Counter(word for own in words_of for word in own)
    rarity = {word: log((len(statements) + 1) / count) for word, count in holders.items()}
    totals = [fsum(map(rarity.__getitem__, own)) or 1.0 for own in words_of]
    replaced = _replaced(statements, words_of, rarity.__getitem__)
    said: set[str] = set()

    def worth(index: int) -> float:
        repeated = fsum(rarity[word] for word in words_of[index] if word in said) / totals[index]
        value = values[index] * (_REPLACED if index in replaced else 1.0) + _ANYTHING
        return value * (1 - _REPEATED * repeated) / float(max(1, tokens[index]) ** _COST)

    newest = {(each.speaker, " ".join(each.text.split())): index for index, each in enumerate(statements)}
    # worth only falls as more is said: it is brought up to date when it is a statement's turn
    heap = [(-worth(index), -index) for index in newest.values()]
    heapify(heap)
    while heap:
        old, index = heap[0]
        if (new := -worth(-index)) > old:
            heapreplace(heap, (new, index))
            continue
        heappop(heap)
        said.update(words_of[-index])
        yield -index


def _replaced(
    statements: Sequence[Statement], words_of: Sequence[Sequence[str]], rarity: Callable[[str], float]
) -> set[int]:
    """Return the statements with figures of which a later one of the same speaker says most words again, with other
    figures."""
    figures = [{word for word in own if any(map(str.isdigit, word))} for own in words_of]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own in enumerate(words_of):
        for word in own if figures[index] else ():
            if word not in figures[index]:
                holders[word].append(index)
    found: set[int] = set()
    for index, own in enumerate(words_of):
        telling = [word for word in own if word not in figures[index]] if figures[index] else []
        shared: defaultdict[int, float] = defaultdict(float)
        for word in telling:
            for other in holders[word] if len(holders[word]) <= _COMMON else ():
                shared[other] += rarity(word)
        total = fsum(map(rarity, telling))
        if any(
            other > index
            and weight >= _SAME * total
            and statements[other].speaker == statements[index].speaker
            and figures[other] - figures[index]
            and figures[index] - figures[other]
            for other, weight in shared.items()
        ):
            found.add(index)
    return found
