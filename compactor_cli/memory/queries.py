"""Read what a query asks for: words, names, "phrases" and beginnings*. Whatever else stands in it is passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compactor_cli.memory.idle import IDLE
from compactor_cli.memory.search_terms import BORDER, Name, names

MOST = 12
"""Things that are asked for at most; of a longer query the longest words are taken."""
_LONGEST = 20_000
"""Characters of a query that are read."""
_PIECES = re.compile(r'"([^"]*)"?|([^"]+)')


class QueryWords:
    """The words of a text, as `terms` has them."""

    __slots__ = ("own", "words")

    def __init__(self, terms: str) -> None:
        before, _, behind = terms.partition(BORDER)
        self.own = before.split()
        """Those it consists of, in order."""
        self.words = {*self.own, *behind.split()}


class SearchTerm(Struct, frozen=True):
    """One thing that is asked for."""

    ways: tuple[tuple[str, ...], ...]
    """Words that say it, in each of the ways it may be written; the first is the way of the query."""
    phrase: bool = False
    """The words follow each other."""
    prefix: bool = False
    """The last word may go on."""

    @property
    def size(self) -> int:
        return sum(map(len, self.ways[0]))

    def found_in(self, text: QueryWords) -> bool:
        """Return whether a text says it."""
        if self.phrase:
            return bool(self.places(text))
        return any(
            all(self._has(text, way, n) for n in range(len(way))) if self.prefix else text.words.issuperset(way)
            for way in self.ways
        )

    def places(self, text: QueryWords) -> list[int]:
        """Return where in the words of a text it begins, in the query's way of writing it."""
        first, *others = self.ways[0]
        if self.prefix and not others:
            return [position for position, word in enumerate(text.own) if word.startswith(first)]
        if first not in text.words:
            return []
        rows = [position for position, word in enumerate(text.own) if word == first]
        return [position for position in rows if self._goes_on(text.own, position)] if others else rows

    def says(self, word: str) -> bool:
        """Return whether a word is one of those that are asked for, in any way."""
        return any(
            word == own or (self.prefix and position == len(way) - 1 and word.startswith(own))
            for way in self.ways
            for position, own in enumerate(way)
        )

    def _goes_on(self, own: Sequence[str], start: int) -> bool:
        way = self.ways[0]
        window = own[start : start + len(way)]
        if not self.prefix:
            return tuple(window) == way
        return tuple(window[:-1]) == way[:-1] and len(window) == len(way) and window[-1].startswith(way[-1])

    def _has(self, text: QueryWords, way: tuple[str, ...], position: int) -> bool:
        if position == len(way) - 1:
            return any(word.startswith(way[position]) for word in text.words)
        return way[position] in text.words


def parse(query: str) -> tuple[SearchTerm, ...]:
    """Return what is asked for, each thing once, in the order of the query; empty when it has no words.

    Words that say nothing by themselves count only where there are no others, and in phrases.
    """
    terms: dict[SearchTerm, None] = {}
    idle: dict[SearchTerm, None] = {}
    for quoted, plain in _PIECES.findall(query[:_LONGEST]):
        for wanted, says in _phrase(quoted) if quoted else _plain(plain):
            (terms if says else idle)[wanted] = None
    terms = terms or idle
    if len(terms) <= MOST:
        return tuple(terms)
    longest = set(sorted(terms, key=lambda wanted: (-wanted.size, wanted.ways))[:MOST])
    return tuple(wanted for wanted in terms if wanted in longest)


def _phrase(text: str) -> Iterator[tuple[SearchTerm, bool]]:
    """Yield what is asked for, and whether it says what about."""
    parts = list(names(text))
    if len(parts) == 1:
        yield from _plain(text)
        return
    words = tuple(token.word for name in parts for token in name.tokens)
    if words:
        yield SearchTerm((words[:64],), phrase=len(words) > 1), True


def _plain(text: str) -> Iterator[tuple[SearchTerm, bool]]:
    for name in names(text):
        if name.tokens:
            prefix = text[name.tokens[-1].end : name.tokens[-1].end + 1] == "*"
            idle = not prefix and len(name.tokens) == 1 and name.tokens[0].form in IDLE
            yield _wanted(name, prefix), not idle


def _wanted(name: Name, prefix: bool) -> SearchTerm:
    own = tuple(token.word for token in name.tokens)
    if name.ends:  # written without blanks: pairs of characters that follow each other
        return SearchTerm((own[:64],), phrase=len(own) > 1, prefix=prefix)
    if len(own) == 1 and not own[0].isascii() and len(own[0]) == 1:
        prefix = True  # one character of such a script begins a pair
    if prefix:  # an ending may be yet to come
        own = (*own[:-1], name.tokens[-1].form)
    ways = dict.fromkeys((own, name.parts or own, *((whole,) for whole in name.joined[-1:])))
    return SearchTerm(tuple(ways), prefix=prefix)
