"""Find later statements about the same figures: a correction repeats what it corrects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence, Set
from functools import cached_property
from itertools import chain

from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import stems

_WORD = compiled_later(r"\w+(?:[.,:/@%-]\w+)*")
"""A word; one with a digit is a figure, or a name with a figure: `3,177.7`, `13:32`, `L3`, `v7`."""
_MAX_MESSAGES, _MAX_STATEMENTS = 3, 8
"""Maximum number of messages with a rare figure or word, and maximum number of statements with a rare figure."""
_MIN_REPEATED_SHARE = 0.5
"""Minimum share of a statement's figures that a later one must repeat."""
_MAX_SENTENCES = 3
"""Maximum number of sentences of a message that together may correct an earlier one."""
_MAX_SENTENCES_BACK = 8
"""Maximum number of sentences before one that it may be a conclusion from."""
_INSIGNIFICANT = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that means nothing by itself: a small number, or a year."""
_NAME_WITH_FIGURE = compiled_later(r"[^\W\d][\w.-]*\d[\w.-]*")
"""A name that contains a number; a measure begins with the number."""
_FIRST_CELL = compiled_later(r"\|\s*([^|]*[^\W\d_][^|]*?)\s*\|")
_ROW_SEPARATOR = " … "
"""Separates the first row of a table from other rows."""


class _FigureStatement:
    """What a statement may share with a later one. Everything except its figures is computed only if another one has
    the same figures."""

    def __init__(self, message: int, text: str) -> None:
        self.message = message
        self._text = text = text.strip('"')
        self.figures = figures_of(text) if any(map(str.isdigit, text)) else frozenset[str]()

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(stem for stem in stems(self._text) if not any(map(str.isdigit, stem)))

    def has_word(self, word: str) -> bool:
        """Return whether a word is one of these; a quick test rules out most texts."""
        return (word in self._lowered or not word.isascii()) and word in self.words

    @cached_property
    def _lowered(self) -> str:
        return self._text.replace("_", " ").lower()

    @cached_property
    def names(self) -> frozenset[str]:
        rows = [part for part in self._text.split(_ROW_SEPARATOR) if part.startswith("|")]
        cells = (_FIRST_CELL.match(row) for row in rows[len(rows) > 1 :])
        names = (name for name in identifiers(self._text) if not any(map(str.isdigit, name)))
        numbered = (figure for figure in self.figures if _NAME_WITH_FIGURE.fullmatch(figure))
        return frozenset((*map(str.lower, names), *numbered, *(cell[1].lower() for cell in cells if cell)))


class _RareFigures:
    """What only a few statements have in common."""

    def __init__(self, statements: Sequence[_FigureStatement]) -> None:
        self._statements = statements
        self.statements_by_figure: defaultdict[str, list[int]] = defaultdict(list)
        """Figure -> statements with it."""
        for index, statement in enumerate(statements):
            for figure in statement.figures:
                self.statements_by_figure[figure].append(index)
        candidates = (
            (figure, indices)
            for figure, indices in self.statements_by_figure.items()
            if len(indices) <= _MAX_STATEMENTS
        )
        self.figures = {
            figure
            for figure, indices in candidates
            if 1 < len({statements[index].message for index in indices}) <= _MAX_MESSAGES
        }

    def is_rare_word(self, word: str) -> bool:
        """Return whether a word is rare. This is asked for few words; counting all words would take longer than
        everything else."""
        messages: set[int] = set()
        for statement in self._statements:
            if statement.has_word(word):
                messages.add(statement.message)
            if len(messages) > _MAX_MESSAGES:
                return False
        return len(messages) > 1


def later_on_figures(texts: Sequence[tuple[int, str]], indices: Container[int] | None = None) -> list[tuple[int, ...]]:
    """Return, for each statement of one speaker, the sentences of the newest later message that repeat most of its
    figures and so may correct it.

    Sentences about something else with the same figures are left out. A conclusion from such a statement, in the
    same message, gets the same sentences. `texts`: (number of the message, text). `indices`: the statements to
    evaluate, which must include those before them in their messages; all if None."""
    statements = [_FigureStatement(message, text) for message, text in texts]
    rare = _RareFigures(statements)
    later: list[tuple[int, ...]] = []
    for index, statement in enumerate(statements):
        if indices is not None and index not in indices:
            later.append(())
            continue
        by_message: defaultdict[int, set[int]] = defaultdict(set)
        for other in chain.from_iterable(
            rare.statements_by_figure[figure] for figure in statement.figures & rare.figures
        ):
            if other > index and statements[other].message != statement.message:
                by_message[statements[other].message].add(other)
        newest_first = sorted(by_message.values(), key=max, reverse=True)
        corrections = (_find_correction(statement, statements, others, rare) for others in newest_first)
        later.append(next(filter(None, corrections), ()) or _inherited_correction(index, statements, later))
    return later


def figures_of(text: str) -> frozenset[str]:
    """Return the numbers of a text, and the names that contain one."""
    return frozenset(word for word in _WORD.findall(text.lower()) if any(map(str.isdigit, word)))


def _find_correction(
    statement: _FigureStatement, statements: Sequence[_FigureStatement], candidates: Set[int], rare: _RareFigures
) -> tuple[int, ...]:
    """Return the sentences of a later message, at most a few, that repeat the most figures of a statement, if they are
    about the same thing. `candidates`: its sentences with any of these figures."""
    shared = {index: statements[index].figures & statement.figures & rare.figures for index in candidates}
    best = sorted(sorted(candidates, key=lambda index: (-len(shared[index]), index))[:_MAX_SENTENCES])
    common = frozenset[str]().union(*(shared[index] for index in best))
    return tuple(best) if _may_correct(statement, [statements[index] for index in best], common, rare) else ()


def _may_correct(
    statement: _FigureStatement, others: Sequence[_FigureStatement], common: frozenset[str], rare: _RareFigures
) -> bool:
    """Return whether sentences are about the same thing as a statement. They are not if each names something that
    the other does not, such as another file with as many lines."""
    if len(common) < _MIN_REPEATED_SHARE * len(statement.figures) or all(len(figure) == 1 for figure in common):
        return False
    if len(common) == 1 and all(map(_INSIGNIFICANT.fullmatch, common)):
        return False
    names = frozenset().union(*(other.names for other in others))
    if names - statement.names and statement.names - names and names.isdisjoint(statement.names):
        return False
    if len(common) > 1:
        return True
    words = frozenset().union(*(other.words for other in others))
    return any(map(rare.is_rare_word, words & statement.words))


def _inherited_correction(
    index: int, statements: Sequence[_FigureStatement], later: Sequence[tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the correction of an earlier statement in the same message that contains all figures of this one."""
    statement = statements[index]
    for earlier in range(index - 1, max(-1, index - 1 - _MAX_SENTENCES_BACK), -1):
        if statements[earlier].message != statement.message or not statement.figures:
            break
        if later[earlier] and statement.figures <= statements[earlier].figures:
            return later[earlier]
    return ()
