"""The interface of token counters."""

from __future__ import annotations

from typing import Protocol

IMAGE_TOKENS = 1_600
"""Fixed cost of a picture: the highest that a provider documents for one. Its base64 data never counts."""


class TokenCounter(Protocol):
    """Counts the tokens of texts. `name` appears in every report."""

    name: str
    approximate: bool
    per_message: int
    per_image: int

    def count(self, text: str) -> int:
        """Return the tokens of a text, 0 for an empty one."""
