"""Search memories, whatever the database: parse a query into words, names, "phrases" and prefixes* (everything else in
it is ignored), rank the memories that an index found, and extract snippets.

Memories that match the whole query come first. The other criteria are, by weight: how much of the query matches and how
rare it is, words that are adjacent, importance, pins, and age.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from compactor_cli.memory.search_terms import BORDER, Name, find_names
from compactor_cli.model.memory import Memory
from compactor_cli.text.clean import plain

_ENGLISH = """
a about above after again all also am an and any anything are aren as at be because been before being below both but by
can cannot could couldn d did didn do does doesn doing don during each either else every few for from further get gets
give given go going got had hadn has hasn have haven having he her here hers him his how i if in into is isn it its
itself just know let ll m make many may me might mine more most much must my need needs no nor not now of off on once
one only onto or other our ours out over own per please really re s same shall she should shouldn show so some such t
tell than that the their theirs them then there these they thing things this those through to too under until up upon us
use used uses using ve very want was wasn we were weren what whatever when where whether which while who whom whose why
will with within without won would wouldn yes yet you your yours
"""
_GERMAN = """
aber als auch auf aus bei beim bitte bin bist das dass dem den denn dich doch du durch ein eine einem einen
einer eines er euch für gibt haben habt hier ich ihm ihn ihr ihre im ist ja kann kein keine können mein mich mir
nach nicht noch nur ob oder ohne sehr sein seine sich sie sind soll sollte über um und uns unser unsere unter vom von
vor wann wären warum weil welche welcher welches wenn wer werden wie wieso wir wird wo zu zum zur
"""
_FRENCH = """
au aux avec ce ceci cela celle celui ces cet cette comme dans de du elle elles en et être il ils je la le les
leur leurs lui ma mais mes moi mon ne nos notre nous où ou pas pourquoi quand que quel quelle quelles quels qui
quoi sa sans ses si sont ta tes toi tu un une vos votre vous
"""
_SPANISH = """
al como cual cuál cuando cuándo del donde dónde el ella ellas ellos esa ese eso está están este esto hay la las
lo los mi mis muy nos nosotros nuestra nuestro o para pero por porque qué que quien quién se según si sobre
su sus también te tiene todo tu un una usa usamos y ya yo
"""


_PLAIN_LETTERS = str.maketrans("äöüáéíóúêèàûùôîçñ", "aouaeioueeauuoicn")
IDLE_WORDS = frozenset((_ENGLISH + _GERMAN + _FRENCH + _SPANISH).translate(_PLAIN_LETTERS).split())
"""The words as `memory.search_terms` normalizes them, without those that mean something in another of these languages
or in the field: `die`, `son`, `der`."""


MAX_TERMS = 12
_MAX_QUERY_CHARS = 20_000
_PIECES = re.compile(r'"([^"]*)"?|([^"]+)')
WHOLE, SAID, NEAR, IMPORTANCE, PINNED, RECENT = 100.0, 50.0, 20.0, 20.0, 10.0, 10.0
"""Points for matching everything, and the maximum points for each other criterion."""
_DAY_SECONDS = 86_400.0
_HALF_LIFE_DAYS = 30.0
"""Number of days after which the points for recency halve."""


class QueryWords:
    """The words of a text, as returned by `terms`."""

    __slots__ = ("own", "words")

    def __init__(self, terms: str) -> None:
        before, _, after = terms.partition(BORDER)
        self.own = before.split()
        """The words of the text itself, in order."""
        self.words = {*self.own, *after.split()}


class SearchTerm(Struct, frozen=True):
    """One search term of a query."""

    spellings: tuple[tuple[str, ...], ...]
    """Alternative spellings as sequences of words; the first is the spelling in the query."""
    phrase: bool = False
    """Whether the words must follow each other."""
    prefix: bool = False
    """Whether the last word is a prefix."""

    @property
    def size(self) -> int:
        return sum(map(len, self.spellings[0]))

    def is_in(self, text: QueryWords) -> bool:
        if self.phrase:
            return bool(self.places(text))
        if not self.prefix:
            return any(map(text.words.issuperset, self.spellings))
        return any(all(self._has_at(text, known, n) for n in range(len(known))) for known in self.spellings)

    def places(self, text: QueryWords) -> list[int]:
        """Return the positions in the text's words where the term begins, in the query's spelling."""
        first, *other_words = self.spellings[0]
        if self.prefix and not other_words:
            return [position for position, word in enumerate(text.own) if word.startswith(first)]
        if first not in text.words:
            return []
        rows = [position for position, word in enumerate(text.own) if word == first]
        return [position for position in rows if self._continues(text.own, position)] if other_words else rows

    def has_word(self, word: str) -> bool:
        return any(
            word == own_word or (self.prefix and position == len(spelling) - 1 and word.startswith(own_word))
            for spelling in self.spellings
            for position, own_word in enumerate(spelling)
        )

    def _continues(self, own_words: Sequence[str], start: int) -> bool:
        spelling = self.spellings[0]
        window = own_words[start : start + len(spelling)]
        if not self.prefix:
            return tuple(window) == spelling
        return (
            tuple(window[:-1]) == spelling[:-1] and len(window) == len(spelling) and window[-1].startswith(spelling[-1])
        )

    def _has_at(self, text: QueryWords, spelling: tuple[str, ...], position: int) -> bool:
        if position == len(spelling) - 1:
            return any(word.startswith(spelling[position]) for word in text.words)
        return spelling[position] in text.words


def parse_query(query: str) -> tuple[SearchTerm, ...]:
    """Return the distinct search terms in order. Idle words count only in phrases, or if there are no others."""
    terms: dict[SearchTerm, None] = {}
    idle: dict[SearchTerm, None] = {}
    for quoted, unquoted in _PIECES.findall(query[:_MAX_QUERY_CHARS]):
        for term, is_telling in _phrase_terms(quoted) if quoted else _plain_terms(unquoted):
            (terms if is_telling else idle)[term] = None
    terms = terms or idle
    if len(terms) <= MAX_TERMS:
        return tuple(terms)
    kept_terms = set(sorted(terms, key=lambda term: (-term.size, term.spellings))[:MAX_TERMS])
    return tuple(term for term in terms if term in kept_terms)


def _phrase_terms(text: str) -> Iterator[tuple[SearchTerm, bool]]:
    """Yield search terms, each with whether it shows what the query is about."""
    parts = list(find_names(text))
    if len(parts) == 1:
        yield from _plain_terms(text)
        return
    words = tuple(token.word for name in parts for token in name.tokens)
    if words:
        yield SearchTerm((words[:64],), phrase=len(words) > 1), True


def _plain_terms(text: str) -> Iterator[tuple[SearchTerm, bool]]:
    for name in find_names(text):
        if name.tokens:
            prefix = text[name.tokens[-1].end : name.tokens[-1].end + 1] == "*"
            idle = not prefix and len(name.tokens) == 1 and name.tokens[0].form in IDLE_WORDS
            yield _make_term(name, prefix), not idle


def _make_term(name: Name, prefix: bool) -> SearchTerm:
    own_words = tuple(token.word for token in name.tokens)
    if name.ends:  # a script without blanks: pairs of characters that follow each other
        return SearchTerm((own_words[:64],), phrase=len(own_words) > 1, prefix=prefix)
    if len(own_words) == 1 and not own_words[0].isascii() and len(own_words[0]) == 1:
        prefix = True  # a single character of such a script is the beginning of a pair
    if prefix:  # the word may still lack its ending
        own_words = (*own_words[:-1], name.tokens[-1].form)
    ways = dict.fromkeys((own_words, name.parts or own_words, *((whole,) for whole in name.joined[-1:])))
    return SearchTerm(tuple(ways), prefix=prefix)


class Candidate(Struct, frozen=True):
    """What ranking needs to know about a memory."""

    id: int
    digest: str
    terms: str
    importance: float
    pinned: bool
    fresh: float
    """When the memory was last remembered or used."""


class TextSnippet(Struct, frozen=True):
    """A part of a text on one line, safe to print on a terminal."""

    pieces: tuple[tuple[str, bool], ...]
    """Pieces of text, each with whether it is a search term."""

    def __str__(self) -> str:
        return "".join(text for text, _ in self.pieces)


class MemoryHit(Struct, frozen=True):
    """A memory found by a search."""

    memory: Memory
    score: float
    snippet: TextSnippet


def rank_candidates(
    candidates: Iterable[Candidate],
    query: Sequence[SearchTerm],
    shares: Mapping[SearchTerm, float],
    *,
    now: float,
    limit: int,
) -> list[tuple[Candidate, float]]:
    """Return the best candidates with their scores. `shares`: the share of all memories that match a term, if known."""
    rarity = {term: math.log(1 + 1 / max(1e-9, shares.get(term, 1.0))) for term in query}
    scored = [(candidate, score_candidate(candidate, query, rarity, now)) for candidate in candidates]
    matching = [pair for pair in scored if pair[1] > 0]
    # the digest breaks ties, because row numbers may differ between databases
    return sorted(matching, key=lambda pair: (-pair[1], -pair[0].fresh, pair[0].digest))[:limit]


def score_candidate(
    candidate: Candidate, query: Sequence[SearchTerm], rarity: Mapping[SearchTerm, float], now: float
) -> float:
    text = QueryWords(candidate.terms)
    matched = [term for term in query if term.is_in(text)]
    if not matched:
        return 0.0
    total = sum(rarity.values())
    points = WHOLE if len(matched) == len(query) else 0.0
    points += SAID * sum(rarity[term] for term in matched) / total
    points += NEAR * _nearness(matched, text, len(query))
    points += IMPORTANCE * candidate.importance / 100 + PINNED * candidate.pinned
    points += RECENT * 2.0 ** -(max(0.0, now - candidate.fresh) / (_HALF_LIFE_DAYS * _DAY_SECONDS))
    return round(float(points), 3)


def _nearness(matched: Sequence[SearchTerm], text: QueryWords, wanted_count: int) -> float:
    """Return the share of adjacent query terms that are adjacent in the text; merely close ones count half."""
    if wanted_count < 2:
        return 0.0
    places = [term.places(text)[:20] for term in matched]
    near = 0.0
    for term, first, second in zip(matched, places, places[1:], strict=False):
        step = len(term.spellings[0])
        gaps = [b - a for a in first for b in second]
        near += 1.0 if step in gaps else 0.5 if any(0 < abs(gap) <= step + 4 for gap in gaps) else 0.0
    return near / (wanted_count - 1)


def make_snippet(text: str, query: Sequence[SearchTerm], width: int = 160) -> TextSnippet:
    """Return the part of a text around the search terms, at most `width` characters."""
    flat = " ".join(plain(text).split())
    spots = _term_spans(flat, query)
    start = 0
    if len(flat) > width and spots and spots[0][1] > width - 2:
        start = max(0, spots[0][0] - width // 4)
        start = flat.find(" ", start, spots[0][0]) + 1 or start
    end = min(len(flat), start + width - (start > 0))
    end = end if end == len(flat) else end - 1
    pieces: list[tuple[str, bool]] = [("…", False)] if start else []
    position = start
    for first, last in spots:
        if first < position or last > end:
            continue
        pieces += [(flat[position:first], False), (flat[first:last], True)]
        position = last
    pieces += [(flat[position:end], False), ("…" if end < len(flat) else "", False)]
    return TextSnippet(tuple(piece for piece in pieces if piece[0]))


def _term_spans(flat: str, query: Sequence[SearchTerm]) -> list[tuple[int, int]]:
    spots: dict[tuple[int, int], None] = {}
    for name in find_names(flat):
        whole = bool(name.joined) and any(term.has_word(name.joined[-1]) for term in query)
        for token in name.tokens:
            parts = len(name.tokens) == 1 and any(term.has_word(part) for part in name.parts for term in query)
            if whole or parts or any(term.has_word(token.word) or term.has_word(token.form) for term in query):
                spots[token.start, token.end] = None
    return list(spots)
