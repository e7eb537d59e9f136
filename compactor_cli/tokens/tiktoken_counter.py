"""Exact counts by tiktoken, with vocabularies from disk only."""

from __future__ import annotations

import os
from pathlib import Path

from compactor_cli.tokens.base import IMAGE_TOKENS

_CHUNK = 100_000
"""Characters encoded at once: tiktoken's pattern overflows its stack on a run of a million spaces."""


class TiktokenCounter:
    per_message = 4
    per_image = IMAGE_TOKENS

    def __init__(self, encoding: str, folder: Path, *, approximate_for: str = "") -> None:
        self.name = f"{encoding} (approximate for {approximate_for})" if approximate_for else encoding
        self.approximate = bool(approximate_for)
        self._encode = _load(encoding, folder)

    def count(self, text: str) -> int:
        if len(text) <= _CHUNK:
            return len(self._encode(text)) if text else 0
        return sum(len(self._encode(text[at : at + _CHUNK])) for at in range(0, len(text), _CHUNK))


def _load(encoding: str, folder: Path):  # type: ignore[no-untyped-def]  # a method of a lazily imported class
    """The encoder of an encoding whose vocabulary is in `folder`; tiktoken is pointed there only."""
    import tiktoken

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        loaded = tiktoken.get_encoding(encoding)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    # the Python copy of the vocabulary (some 25 MB) serves methods that are not used here
    getattr(loaded, "_mergeable_ranks", {}).clear()
    return loaded.encode_ordinary
