"""Rules for finding sentences worth remembering."""

from __future__ import annotations

from msgspec import Struct

from compactor_cli.memory.ephemeral import Speaker

LEAST_WORDS, MOST_WORDS = 4, 60
NEEDS_ALL = 6
"""Minimum number of words in a statement about a cause."""


class Rule(Struct, frozen=True):
    """Conditions on a sentence with certain words, and what a matching sentence is worth."""

    name: str
    category: str
    speakers: tuple[Speaker, ...]
    importance: float
    confidence: float
    anchored: bool = False
    """Whether the sentence must name something: a path, code, a version, a product."""
    least: int = LEAST_WORDS
    """Minimum number of words of the sentence."""


USER: tuple[Speaker, ...] = ("user",)
ASSISTANT: tuple[Speaker, ...] = ("assistant",)
BOTH: tuple[Speaker, ...] = ("user", "assistant")
