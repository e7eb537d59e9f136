"""What is said later of the same figures: a correction names what it corrects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import chain

from msgspec import Struct

from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import stems

_WORD = compiled_later(r"\w+(?:[.,:/@%-]\w+)*")
"""A word; one with a digit in it is a figure, or a name with one: `3,177.7`, `13:32`, `L3`, `v7`."""
_COMMON = 3
"""Messages with a figure, or a word, up to which it is a rare one."""
_HALF = 0.5
"""Share of the figures of a statement that a later one on the same names."""
_WINDOW = 3
"""Sentences one behind the other that may correct one of before."""
_BACK = 8
"""Sentences before one that it may be concluded from."""


class _Said(Struct, frozen=True):
    """What a statement may share with a later one."""

    message: int
    figures: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]


def later_on_figures(said: Sequence[tuple[int, str]]) -> list[tuple[int, ...]]:
    """Return for each statement of one speaker, given with the number of its message, those of the newest later message
    that speak again of most of its figures, and so may correct it; none for what is said of something else with the
    same figures. What a message concludes from such a statement goes with that."""
    read = [_read(message, text) for message, text in said]
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, statement in enumerate(read):
        for term in sorted(statement.figures | statement.words):
            places[term].append(at)
    rare = {term for term, own in places.items() if 1 < len({read[at].message for at in own}) <= _COMMON}
    later: list[tuple[int, ...]] = []
    for at, statement in enumerate(read):
        naming: defaultdict[int, set[int]] = defaultdict(set)
        for other in chain.from_iterable(places[term] for term in sorted(statement.figures & rare)):
            if other > at and read[other].message != statement.message:
                naming[read[other].message].add(other)
        found: tuple[int, ...] = ()
        for others in sorted(naming.values(), key=max, reverse=True):
            if found := _on_the_same(statement, read, others, rare):
                break
        later.append(found or _concluded_from(at, read, later))
    return later


def figures_of(text: str) -> frozenset[str]:
    """Return the numbers of a text, and the names with one."""
    return frozenset(word for word in _WORD.findall(text.lower()) if any(map(str.isdigit, word)))


def _read(message: int, text: str) -> _Said:
    figures = figures_of(text)
    names = frozenset(name.lower() for name in identifiers(text) if not any(map(str.isdigit, name)))
    words = frozenset(stem for stem in stems(text) if not any(map(str.isdigit, stem)))
    return _Said(message, figures, words, names)


def _on_the_same(statement: _Said, read: Sequence[_Said], naming: Set[int], rare: Set[str]) -> tuple[int, ...]:
    """Return which sentences of a later message, few of them one behind the other, speak of most of the figures of a
    statement; of as many figures the fewest sentences. `naming`: those that have any of these."""
    best: tuple[int, ...] = ()
    most = 0
    for size in range(1, _WINDOW + 1):
        for window in _windows(read, naming, size):
            shared = [read[at].figures & statement.figures & rare for at in window]
            found = frozenset[str]().union(*shared)
            if len(found) > most and _may_correct(statement, [read[at] for at in window], found, rare):
                most = len(found)
                best = tuple(at for at, own in zip(window, shared, strict=True) if own)
    return best


def _windows(read: Sequence[_Said], naming: Set[int], size: int) -> Iterator[range]:
    """Yield sentences of a message, `size` of them one behind the other, around those that name something."""
    starts = {at - back for at in naming for back in range(size)}
    for first in sorted(starts):
        last = first + size - 1
        if first >= 0 and last < len(read) and read[first].message == read[last].message:
            yield range(first, last + 1)


def _may_correct(statement: _Said, others: Sequence[_Said], found: frozenset[str], rare: Set[str]) -> bool:
    """Return whether sentences speak of what a statement does: not where each names something that the other does
    not, such as another file with as many lines."""
    if len(found) < _HALF * len(statement.figures) or all(len(figure) == 1 for figure in found):
        return False
    names = frozenset().union(*(other.names for other in others))
    if names - statement.names and statement.names - names and names.isdisjoint(statement.names):
        return False
    words = frozenset().union(*(other.words for other in others))
    return len(found) > 1 or not rare.isdisjoint(words & statement.words)


def _concluded_from(at: int, read: Sequence[_Said], later: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return what a statement goes with that has no figures but those of one before it in its message."""
    own = read[at]
    for before in range(at - 1, max(-1, at - 1 - _BACK), -1):
        if read[before].message != own.message or not own.figures:
            break
        if later[before] and own.figures <= read[before].figures:
            return later[before]
    return ()
