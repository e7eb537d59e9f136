"""Lengths of the texts that a language model writes, beside what is computed around them."""

from __future__ import annotations

BUFFER = 1.25
"""What a text may have above the length that is asked for (seed 001: 800 tokens asked, 1,000 allowed)."""
SHARE = 0.6
"""Of the room under the headings of a summary, for what the model writes; the rest is for what is computed."""


def tokens_to_request(room: int) -> int:
    """Return the tokens to ask for, given those under the headings of a summary."""
    return int(SHARE * room / BUFFER)


def text_tokens(limit: int) -> int:
    """Return the tokens under the headings of a summary for which `limit` are asked; inverse of the above."""
    return int(limit * BUFFER / SHARE) + 1
