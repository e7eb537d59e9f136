"""Both ends of a long text: what names and says most of what it holds, at a cost that does not grow with it."""

from __future__ import annotations


def both_ends(text: str, head: int, tail: int) -> str:
    """Return the first `head` and the last `tail` characters on lines of their own; all of a text that has no more."""
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"
