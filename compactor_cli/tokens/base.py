"""What a token counter is."""

from __future__ import annotations

from typing import Protocol

IMAGE_TOKENS = 1_600
"""Fixed cost of a picture: the most that a provider documents for one; never its base64."""


class TokenCounter(Protocol):
    """Counts tokens of texts. `name` goes into every report."""

    name: str
    approximate: bool
    per_message: int
    per_image: int

    def count(self, text: str) -> int:
        """Return tokens of a text, 0 for an empty one."""
