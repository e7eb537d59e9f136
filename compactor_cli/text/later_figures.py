"""Find later statements about the same figures: a correction repeats what it corrects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence, Set
from functools import cached_property
from itertools import chain

from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.marks import find_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import stems
from compactor_cli.text.terms import STOP_WORDS

_WORD = compiled_later(r"\w+(?:[.,:/@%-]\w+)*")
"""A word; one with a digit is a figure, or a name with a figure: `3,177.7`, `13:32`, `L3`, `v7`."""
_COMMON, _OFTEN = 3, 8
"""Maximum number of messages with a rare figure or word, and maximum number of statements with a rare figure."""
_HALF = 0.5
"""Minimum share of a statement's figures that a later one must repeat."""
_WINDOW = 3
"""Maximum number of consecutive sentences that together may correct an earlier one."""
_BACK = 8
"""Maximum number of sentences before one that it may be a conclusion from."""
_SLIGHT = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that means nothing by itself: a small number, or a year."""
_LETTERS = compiled_later(r"[^\W\d_]{2,}")
_WITHIN = compiled_later(r"(?<=[^\W\d_] )[^\W\d_]{2,}")
"""A word after another one. With a capital letter it may be a name, whereas after punctuation it only begins a
sentence."""
_NAME_WITH_FIGURE = compiled_later(r"[^\W\d][\w.-]*\d[\w.-]*")
"""A name that contains a number; a measure begins with the number."""
_FIRST_CELL = compiled_later(r"\|\s*([^|]*[^\W\d_][^|]*?)\s*\|")
_BETWEEN = " … "
"""Separates the first row of a table from other rows."""
_INITIAL = 5
"""Characters that forms of the same word have in common."""


class _Said:
    """What a statement may share with a later one. Everything except its figures is computed only if another one has
    the same figures."""

    def __init__(self, message: int, text: str) -> None:
        self.message = message
        self._text = text = text.strip('"')
        self.figures = figures_of(text) if any(map(str.isdigit, text)) else frozenset[str]()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(stem for stem in stems(self._text) if not any(map(str.isdigit, stem)))

    def has(self, word: str) -> bool:
        """Return whether a word is one of these; a quick test rules out most texts."""
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
        """The beginnings of all words except stop words."""
        return _terms(self._text)

    @cached_property
    def early(self) -> frozenset[str]:
        """Those before the first figure."""
        first = next((at for at, sign in enumerate(self._text) if sign.isdigit()), len(self._text))
        return _terms(self._text[:first])

    @cached_property
    def proper(self) -> frozenset[str]:
        """Those with a capital letter after another word."""
        return frozenset(word[:_INITIAL].lower() for word in _WITHIN.findall(self._text) if word[0].isupper())


class _Rare:
    """What only a few statements have in common."""

    def __init__(self, read: Sequence[_Said]) -> None:
        self._read = read
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        """Figure -> statements with it."""
        for at, statement in enumerate(read):
            for figure in statement.figures:
                self.places[figure].append(at)
        few = ((figure, own) for figure, own in self.places.items() if len(own) <= _OFTEN)
        self.figures = {figure for figure, own in few if 1 < len({read[at].message for at in own}) <= _COMMON}

    def has(self, word: str) -> bool:
        """Return whether a word is rare. This is asked for few words; counting all words would take longer than
        everything else."""
        messages: set[int] = set()
        for statement in self._read:
            if statement.has(word):
                messages.add(statement.message)
            if len(messages) > _COMMON:
                return False
        return len(messages) > 1


def later_on_figures(said: Sequence[tuple[int, str]], wanted: Container[int] | None = None) -> list[tuple[int, ...]]:
    """Return, for each statement of one speaker, the sentences of the newest later message that repeat most of its
    figures and so may correct it.

    Sentences about something else with the same figures are left out. A conclusion from such a statement, in the
    same message, gets the same sentences. `said`: (number of the message, text). `wanted`: the statements to
    evaluate, which must include those before them in their messages; all if None."""
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
    """Return the numbers of a text, and the names that contain one."""
    return frozenset(word for word in _WORD.findall(text.lower()) if any(map(str.isdigit, word)))


def _terms(text: str) -> frozenset[str]:
    words = map(str.lower, find_words(_LETTERS, text))
    return frozenset(word[:_INITIAL] for word in words if word not in STOP_WORDS)


def _on_the_same(statement: _Said, read: Sequence[_Said], naming: Set[int], rare: _Rare) -> tuple[int, ...]:
    """Return the sentences of a later message, a few consecutive ones, that repeat the most figures of a statement;
    among equals, the fewest sentences. `naming`: sentences with any of these figures."""
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
    """Yield the windows of `size` consecutive sentences of a message around those that have such figures."""
    starts = {at - back for at in naming for back in range(size)}
    for first in sorted(starts):
        last = first + size - 1
        if first >= 0 and last < len(read) and read[first].message == read[last].message:
            yield range(first, last + 1)


def _may_correct(statement: _Said, others: Sequence[_Said], found: frozenset[str], rare: _Rare) -> bool:
    """Return whether sentences are about the same thing as a statement. They are not if each names something that
    the other does not, such as another file with as many lines."""
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
    """Return whether two nearly equal statements differ in a name, or in one word before their figures: they say the
    same about two things. A difference after the figures is part of what is said about a thing."""
    own, others = statement.terms - other.terms, other.terms - statement.terms
    shared = len(statement.terms & other.terms)
    if not own or not others or shared < _HALF * max(len(statement.terms), len(other.terms)):
        return False
    if not own.isdisjoint(statement.proper) and not others.isdisjoint(other.proper):
        return True
    return len(own) == len(others) == 1 and own <= statement.early and others <= other.early


def _concluded_from(at: int, read: Sequence[_Said], later: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the correction of an earlier statement in the same message that contains all figures of this one."""
    own = read[at]
    for before in range(at - 1, max(-1, at - 1 - _BACK), -1):
        if read[before].message != own.message or not own.figures:
            break
        if later[before] and own.figures <= read[before].figures:
            return later[before]
    return ()
