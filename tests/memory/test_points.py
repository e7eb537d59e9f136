"""What a hit of a search is worth, to the point."""

from __future__ import annotations

import pytest

from compactor_cli.memory.queries import Candidate, parse_query, rank_candidates
from compactor_cli.memory.search_terms import term_text

DAY = 86_400.0


def points(query: str, text: str, importance: float = 0, *, pinned: bool = False, days: float = 1e9) -> float:
    """Points of a text that was fresh so many days ago; all memories have all words."""
    given = Candidate(1, "0" * 64, term_text(text), importance, pinned, -days * DAY)
    return sum(found for _, found in rank_candidates([given], parse_query(query), {}, now=0.0, limit=1))


@pytest.mark.parametrize(
    ("worth", "query", "text"),
    [
        (150, "amber", "There is amber."),
        (25, "amber basalt", "There is amber."),
        (150 + 20, "amber basalt", "There is amber basalt."),
        (150, "amber basalt", "There is amber one two three four five basalt."),
        (150 + 10, "amber basalt", "There is amber one two three four basalt."),
        (150 + 10, "amber basalt", "There is basalt one two three four amber."),
        (150, "amber basalt", "There is basalt one two three four five amber."),
        (150 + 10, "amber basalt cedar", "There is amber basalt one two three four five six cedar."),
        (150 + 20, "amber basalt cedar", "There is amber basalt cedar."),
        (0, "amber", "There is basalt."),
    ],
)
def test_words_that_are_all_there_and_near_each_other(worth: float, query: str, text: str) -> None:
    assert points(query, text) == worth


def test_importance_pins_and_age() -> None:
    assert points("amber", "amber", 100) == 150 + 20
    assert points("amber", "amber", 50) == 150 + 10
    assert points("amber", "amber", pinned=True) == 150 + 10
    assert points("amber", "amber", days=0) == 150 + 10
    assert points("amber", "amber", days=-5) == 150 + 10, "what is newer than now is as new as now"


def test_what_recency_adds_halves_again_and_again() -> None:
    half = next(days for days in range(1, 400) if points("amber", "amber", days=days) <= 155)
    assert points("amber", "amber", days=half) == 155
    assert points("amber", "amber", days=2 * half) == 152.5
