"""Whether a sentence says what to do or what not to do, by words of several languages; words help where known."""

from __future__ import annotations

from functools import cache

from compactor_cli.features.cue_words import CUES, CueCounter
from compactor_cli.text.patterns import compiled_later

_WORD = compiled_later(r"[^\W\d_]+(?![\w-]*\()(?!-\w)")
"""A word of its own: `no-op` has no negation in it, nor has `sin(x)`."""
_FORBIDDEN = compiled_later(
    r"n['’]t\b|\b(?:forbidden|prohibited|banned|not allowed|refuse|refrain|avoid|deny|verboten|prohibido|interdit\w*"
    r"|vietato|proibido|запрещено|нельзя)\b"
)
_HAS_NOT = compiled_later(r"\b(?:has|have|had|is|are|was|were|exists?|there) (?:no|not|none|non)\b|\bwithout\b")
"""What describes something by what it lacks; a sentence with that may forbid something all the same."""
_FORBIDS, _ORDERS = 15, 5
"""Points of a sentence that forbids something or says when something does not hold, and of one that says what has to
be."""


@cache
def _counter() -> CueCounter:
    return CueCounter({"negation": CUES["negation"], "duty": CUES["duty"]})


def rule_points(sentence: str) -> float:
    """Return the points of a sentence for what it forbids or orders: what must not be done is lost first where only
    what things are is kept."""
    forbids, orders = _ruling(sentence)
    return _FORBIDS * forbids + _ORDERS * orders


def forbids(sentence: str) -> bool:
    """Return whether a sentence forbids something, or says when something does not hold."""
    return _ruling(sentence)[0]


def _ruling(sentence: str) -> tuple[bool, bool]:
    """Return whether a sentence forbids something, and whether it says what has to be."""
    lowered = sentence.lower()
    bare = _HAS_NOT.sub(" ", lowered)
    found = _found_in(lowered)
    negation = (found if bare == lowered else _found_in(bare))["negation"]
    return negation > 0 or _FORBIDDEN.search(lowered) is not None, found["duty"] > 0


def _found_in(lowered: str) -> dict[str, int]:
    return _counter().count(lowered, [*dict.fromkeys(_WORD.findall(lowered))])
