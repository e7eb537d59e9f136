"""Tell how long the texts are that a language model writes, beside what is computed around them."""

from __future__ import annotations

BUFFER = 1.25
"""What a text may have above the length that is asked for (seed 001: 800 tokens asked, 1,000 allowed)."""
SHARE = 0.6
"""Of the room under the headings of a summary, for what the model writes; the rest is for what is computed."""


def told(room: int) -> int:
    """Tokens to ask for, given those under the headings of a summary."""
    return int(SHARE * room / BUFFER)


def text_tokens(limit: int) -> int:
    """Tokens under the headings of a summary for which so many are asked; the inverse of `told`."""
    return int(limit * BUFFER / SHARE) + 1
