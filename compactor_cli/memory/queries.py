"""Parse a query into words, names, "phrases" and prefixes*. Everything else in it is ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compactor_cli.memory.idle import IDLE
from compactor_cli.memory.search_terms import BORDER, Name, names

MOST = 12
"""Maximum number of search terms; of a longer query, the longest ones are kept."""
_LONGEST = 20_000
"""Maximum characters of a query that are read."""
_PIECES = re.compile(r'"([^"]*)"?|([^"]+)')


class QueryWords:
    """The words of a text, as returned by `terms`."""

    __slots__ = ("own", "words")

    def __init__(self, terms: str) -> None:
        before, _, behind = terms.partition(BORDER)
        self.own = before.split()
        """The words of the text itself, in order."""
        self.words = {*self.own, *behind.split()}


class SearchTerm(Struct, frozen=True):
    """One search term of a query."""

    ways: tuple[tuple[str, ...], ...]
    """Alternative spellings as sequences of words; the first is the spelling in the query."""
    phrase: bool = False
    """Whether the words must follow each other."""
    prefix: bool = False
    """Whether the last word is a prefix."""

    @property
    def size(self) -> int:
        return sum(map(len, self.ways[0]))

    def found_in(self, text: QueryWords) -> bool:
        """Return whether a text contains the term."""
        if self.phrase:
            return bool(self.places(text))
        return any(
            all(self._has(text, way, n) for n in range(len(way))) if self.prefix else text.words.issuperset(way)
            for way in self.ways
        )

    def places(self, text: QueryWords) -> list[int]:
        """Return the positions in the text's words where the term begins, in the query's spelling."""
        first, *others = self.ways[0]
        if self.prefix and not others:
            return [position for position, word in enumerate(text.own) if word.startswith(first)]
        if first not in text.words:
            return []
        rows = [position for position, word in enumerate(text.own) if word == first]
        return [position for position in rows if self._goes_on(text.own, position)] if others else rows

    def says(self, word: str) -> bool:
        """Return whether a word is part of the term in any spelling."""
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
    """Return the distinct search terms in the order of the query; empty if it has no words.

    Idle words count only within phrases, or if there are no other words.
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
    """Yield search terms, each with whether it shows what the query is about."""
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
    if name.ends:  # a script without blanks: pairs of characters that follow each other
        return SearchTerm((own[:64],), phrase=len(own) > 1, prefix=prefix)
    if len(own) == 1 and not own[0].isascii() and len(own[0]) == 1:
        prefix = True  # a single character of such a script is the beginning of a pair
    if prefix:  # the word may still lack its ending
        own = (*own[:-1], name.tokens[-1].form)
    ways = dict.fromkeys((own, name.parts or own, *((whole,) for whole in name.joined[-1:])))
    return SearchTerm(tuple(ways), prefix=prefix)
