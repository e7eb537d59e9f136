"""Exact counts by tiktoken, with vocabularies from disk only."""

from __future__ import annotations

import hashlib
import os
from binascii import a2b_base64
from collections.abc import Callable
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


def _load(encoding: str, folder: Path) -> Callable[[str], list[int]]:
    """The encoder of an encoding whose vocabulary is in `folder`; tiktoken looks nowhere else."""
    import tiktoken
    from tiktoken_ext import openai_public

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    slow_reader = openai_public.load_tiktoken_bpe
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    openai_public.load_tiktoken_bpe = lambda url, expected_hash="": _read_vocabulary(folder, url, expected_hash)
    try:
        loaded = tiktoken.get_encoding(encoding)
    finally:
        openai_public.load_tiktoken_bpe = slow_reader
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    # the Python copy of the vocabulary (some 25 MB) serves methods that are not used here
    getattr(loaded, "_mergeable_ranks", {}).clear()
    return loaded.encode_ordinary


def _read_vocabulary(folder: Path, url: str, expected_hash: str) -> dict[bytes, int]:
    """Token -> rank, from the file that tiktoken's cache names by the SHA-1 of its address.

    The lines are `base64 rank`. tiktoken's own reader would fetch a damaged file from the network;
    this one raises ValueError when the file is not what tiktoken expects.
    """
    data = (folder / hashlib.sha1(url.encode()).hexdigest()).read_bytes()
    if expected_hash and hashlib.sha256(data).hexdigest() != expected_hash:
        raise ValueError(f"the vocabulary in {folder} is damaged")
    columns = data.split()
    return dict(zip(map(a2b_base64, columns[::2]), map(int, columns[1::2]), strict=True))
