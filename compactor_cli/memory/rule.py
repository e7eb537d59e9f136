"""What a rule for sentences worth remembering consists of."""

from __future__ import annotations

import re

from msgspec import Struct

from compactor_cli.memory.ephemeral import Speaker

LEAST_WORDS, MOST_WORDS = 4, 60
NEEDS_ALL = 6
"""Words that a statement about a cause has at least."""


class Rule(Struct, frozen=True):
    """What a sentence must be like, and what it is worth then."""

    name: str
    category: str
    speakers: tuple[Speaker, ...]
    words: re.Pattern[str]
    importance: float
    confidence: float
    anchored: bool = False
    """The sentence has to name something: a path, code, a version, a product."""
    least: int = LEAST_WORDS
    """Words that the sentence must have."""


USER: tuple[Speaker, ...] = ("user",)
ASSISTANT: tuple[Speaker, ...] = ("assistant",)
BOTH: tuple[Speaker, ...] = ("user", "assistant")
