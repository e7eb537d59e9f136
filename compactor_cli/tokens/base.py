"""The interface of token counters: exact ones, which use an encoder chunk by chunk, and that of seed 001."""

from __future__ import annotations

from collections.abc import Callable
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


CountTokens = Callable[[str], int]
"""Returns the number of tokens of a text. Nothing in the text is treated as a control token."""
_MAX_CHUNK_CHARS = 100_000
"""Characters encoded at a time; tiktoken's pattern overflows its stack on a run of a million spaces."""


class ExactCounter:
    """Counts with an encoder of any library; `name` is that of the vocabulary."""

    per_message = 4
    per_image = IMAGE_TOKENS

    def __init__(self, name: str, count: CountTokens, *, approximate_for: str = "") -> None:
        self.name = f"{name} (approximate for {approximate_for})" if approximate_for else name
        self.approximate = bool(approximate_for)
        self._count = count

    def count(self, text: str) -> int:
        if len(text) <= _MAX_CHUNK_CHARS:
            return self._count(text) if text else 0
        return sum(
            self._count(text[start : start + _MAX_CHUNK_CHARS]) for start in range(0, len(text), _MAX_CHUNK_CHARS)
        )


class CharacterCounter:
    approximate = True
    per_message = 2
    per_image = IMAGE_TOKENS

    def __init__(self, name: str = "chars") -> None:
        self.name = name

    def count(self, text: str) -> int:
        return -(-len(text) // 4)
