"""Rank the memories found by an index, and extract snippets. This works the same for every database.

Memories that match the whole query come first. The other criteria are, by weight: how much of the query matches and
how rare it is, words that are adjacent, importance, pins, and age.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from compactor_cli.memory.queries import QueryWords, SearchTerm
from compactor_cli.memory.search_terms import find_names
from compactor_cli.model.memory import Memory
from compactor_cli.text.clean import plain

WHOLE, SAID, NEAR, IMPORTANCE, PINNED, RECENT = 100.0, 50.0, 20.0, 20.0, 10.0, 10.0
"""Points for matching everything, and the maximum points for each other criterion."""
_DAY_SECONDS = 86_400.0
_HALF_LIFE_DAYS = 30.0
"""Number of days after which the points for recency halve."""


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
