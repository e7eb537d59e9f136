"""tiktoken's encoders, with vocabularies from disk only. They are the reference for the others."""

from __future__ import annotations

import hashlib
import os
from binascii import a2b_base64
from pathlib import Path

from compactor_cli.tokens.base import CountTokens


def tiktoken_count(encoding: str, folder: Path) -> CountTokens:
    """Return a function that counts by an encoding whose vocabulary is in `folder`; tiktoken looks nowhere else.
    Raises ValueError or OSError if the vocabulary cannot be used."""
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
    # the Python copy of the vocabulary (some 25 MB) is only needed by methods not used here
    getattr(loaded, "_mergeable_ranks", {}).clear()
    encode = loaded.encode_ordinary
    return lambda text: len(encode(text))


def _read_vocabulary(folder: Path, url: str, expected_hash: str) -> dict[bytes, int]:
    """Return token -> rank, from the file that tiktoken's cache names by the SHA-1 of its address. Each line is `base64
    rank`. tiktoken's own reader would download a damaged file again; this one raises ValueError when the file is not
    what tiktoken expects."""
    data = (folder / hashlib.sha1(url.encode()).hexdigest()).read_bytes()
    if expected_hash and hashlib.sha256(data).hexdigest() != expected_hash:
        raise ValueError(f"the vocabulary in {folder} is damaged")
    columns = data.split()
    return dict(zip(map(a2b_base64, columns[::2]), map(int, columns[1::2]), strict=True))
