"""What is said later of the same figures: a correction names what it corrects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence, Set
from functools import cached_property
from itertools import chain

from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import stems
from compactor_cli.text.terms import STOP_WORDS

_WORD = compiled_later(r"\w+(?:[.,:/@%-]\w+)*")
"""A word; one with a digit in it is a figure, or a name with one: `3,177.7`, `13:32`, `L3`, `v7`."""
_COMMON, _OFTEN = 3, 8
"""Messages with a figure, or a word, and statements with a figure, up to which it is a rare one."""
_HALF = 0.5
"""Share of the figures of a statement that a later one on the same names."""
_WINDOW = 3
"""Sentences one behind the other that may correct one of before."""
_BACK = 8
"""Sentences before one that it may be concluded from."""
_SLIGHT = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that says nothing alone: a small number, or a year."""
_LETTERS = compiled_later(r"[^\W\d_]{2,}")
_WITHIN = compiled_later(r"(?<=[^\W\d_] )[^\W\d_]{2,}")
"""A word behind another one: with a capital letter it may be a name, and behind a mark it only begins something."""
_NAME_WITH_FIGURE = compiled_later(r"[^\W\d][\w.-]*\d[\w.-]*")
"""A name with a number in it; a measure begins with the number."""
_FIRST_CELL = compiled_later(r"\|\s*([^|]*[^\W\d_][^|]*?)\s*\|")
_BETWEEN = " … "
"""Stands between the first row of a table and others."""
_INITIAL = 5
"""Characters by which forms of a word are the same."""


class _Said:
    """What a statement may share with a later one; all but its figures is looked for where another one has these."""

    def __init__(self, message: int, text: str) -> None:
        self.message = message
        self._text = text = text.strip('"')
        self.figures = figures_of(text) if any(map(str.isdigit, text)) else frozenset[str]()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(stem for stem in stems(self._text) if not any(map(str.isdigit, stem)))

    def has(self, word: str) -> bool:
        """Return whether a word is one of these; most texts show at once that it is not."""
        return (word in self._low or not word.isascii()) and word in self.words

    @cached_property
    def _low(self) -> str:
        return self._text.replace("_", " ").lower()

    @cached_property
    def names(self) -> frozenset[str]:
        rows = [part for part in self._text.split(_BETWEEN) if part.startswith("|")]
        cells = (_FIRST_CELL.match(row) for row in rows[len(rows) > 1 :])
        names = (name for name in identifiers(self._text) if not any(map(str.isdigit, name)))
        numbered = (figure for figure in self.figures if _NAME_WITH_FIGURE.fullmatch(figure))
        return frozenset((*map(str.lower, names), *numbered, *(cell[1].lower() for cell in cells if cell)))

    @cached_property
    def terms(self) -> frozenset[str]:
        """All words that are none of those that stand everywhere, by how they begin."""
        return _terms(self._text)

    @cached_property
    def early(self) -> frozenset[str]:
        """Those before the first figure."""
        first = next((at for at, sign in enumerate(self._text) if sign.isdigit()), len(self._text))
        return _terms(self._text[:first])

    @cached_property
    def proper(self) -> frozenset[str]:
        """Those with a capital letter behind another word."""
        return frozenset(word[:_INITIAL].lower() for word in _WITHIN.findall(self._text) if word[0].isupper())


class _Rare:
    """What few statements have in common."""

    def __init__(self, read: Sequence[_Said]) -> None:
        self._read = read
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        """Figure -> the statements with it."""
        for at, statement in enumerate(read):
            for figure in statement.figures:
                self.places[figure].append(at)
        few = ((figure, own) for figure, own in self.places.items() if len(own) <= _OFTEN)
        self.figures = {figure for figure, own in few if 1 < len({read[at].message for at in own}) <= _COMMON}

    def has(self, word: str) -> bool:
        """Return whether a word is a rare one. Asked of few words: to count all of them would take longer than the
        rest."""
        messages: set[int] = set()
        for statement in self._read:
            if statement.has(word):
                messages.add(statement.message)
            if len(messages) > _COMMON:
                return False
        return len(messages) > 1


def later_on_figures(said: Sequence[tuple[int, str]], wanted: Container[int] | None = None) -> list[tuple[int, ...]]:
    """Return for each statement of one speaker, given with the number of its message, those of the newest later message
    that speak again of most of its figures, and so may correct it; none for what is said of something else with the
    same figures. What a message concludes from such a statement goes with that. `wanted`: the statements, those before
    them in their messages too, for which it is looked for; all without it."""
    read = [_Said(message, text) for message, text in said]
    rare = _Rare(read)
    later: list[tuple[int, ...]] = []
    for at, statement in enumerate(read):
        if wanted is not None and at not in wanted:
            later.append(())
            continue
        naming: defaultdict[int, set[int]] = defaultdict(set)
        for other in chain.from_iterable(rare.places[figure] for figure in statement.figures & rare.figures):
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


def _terms(text: str) -> frozenset[str]:
    words = map(str.lower, _LETTERS.findall(text))
    return frozenset(word[:_INITIAL] for word in words if word not in STOP_WORDS)


def _on_the_same(statement: _Said, read: Sequence[_Said], naming: Set[int], rare: _Rare) -> tuple[int, ...]:
    """Return which sentences of a later message, few of them one behind the other, speak of most of the figures of a
    statement; of as many figures the fewest sentences. `naming`: those that have any of these."""
    best: tuple[int, ...] = ()
    most = 0
    for size in range(1, _WINDOW + 1):
        for window in _windows(read, naming, size):
            shared = [read[at].figures & statement.figures & rare.figures for at in window]
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


def _may_correct(statement: _Said, others: Sequence[_Said], found: frozenset[str], rare: _Rare) -> bool:
    """Return whether sentences speak of what a statement does: not where each names something that the other does
    not, such as another file with as many lines."""
    if len(found) < _HALF * len(statement.figures) or all(len(figure) == 1 for figure in found):
        return False
    if len(found) == 1 and all(map(_SLIGHT.fullmatch, found)):
        return False
    if any(_is_of_another(statement, other) for other in others if not found.isdisjoint(other.figures)):
        return False
    names = frozenset().union(*(other.names for other in others))
    if names - statement.names and statement.names - names and names.isdisjoint(statement.names):
        return False
    if len(found) > 1:
        return True
    words = frozenset().union(*(other.words for other in others))
    return any(map(rare.has, words & statement.words))


def _is_of_another(statement: _Said, other: _Said) -> bool:
    """Return whether two statements that are nearly the same differ in a name, or in one word before their figures:
    they say the same of two things. What differs behind the figures is what is said of them."""
    own, others = statement.terms - other.terms, other.terms - statement.terms
    shared = len(statement.terms & other.terms)
    if not own or not others or shared < _HALF * max(len(statement.terms), len(other.terms)):
        return False
    if not own.isdisjoint(statement.proper) and not others.isdisjoint(other.proper):
        return True
    return len(own) == len(others) == 1 and own <= statement.early and others <= other.early


def _concluded_from(at: int, read: Sequence[_Said], later: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return what a statement goes with that has no figures but those of one before it in its message."""
    own = read[at]
    for before in range(at - 1, max(-1, at - 1 - _BACK), -1):
        if read[before].message != own.message or not own.figures:
            break
        if later[before] and own.figures <= read[before].figures:
            return later[before]
    return ()
