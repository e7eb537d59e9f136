"""Vocabularies on disk, such as those that litellm's package ships, found without importing it, and tiktoken's encoders
for them, which are the reference for the others."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from binascii import a2b_base64
from pathlib import Path

from compactor_cli.tokens.base import CountTokens

_URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""Addresses whose SHA-1 tiktoken uses as file names in its cache; nothing is downloaded."""

_DIGESTS = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
ENCODINGS = tuple(_DIGESTS)


def litellm_folder() -> Path | None:
    """Return the folder of the installed litellm package, without importing it, which would take seconds."""
    spec = importlib.util.find_spec("litellm")
    locations = spec.submodule_search_locations if spec else None
    return Path(next(iter(locations))) if locations else None


def cache_folder(encoding: str) -> Path | None:
    """Return a folder that holds an encoding's vocabulary as tiktoken's cache names it."""
    file = _file_name(encoding)
    candidates = [
        Path(os.environ[name]) for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR") if os.environ.get(name)
    ]
    package = litellm_folder()
    if package:
        candidates.append(package / "litellm_core_utils" / "tokenizers")
    return next((folder for folder in candidates if (folder / file).is_file()), None)


def read_vocabulary(encoding: str) -> bytes | None:
    """Return an encoding's vocabulary, one token with its rank per line; None if it is missing or damaged."""
    folder = cache_folder(encoding)
    try:
        data = (folder / _file_name(encoding)).read_bytes() if folder else b""
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == _DIGESTS[encoding] else None


def _file_name(encoding: str) -> str:
    return hashlib.sha1(_URL.format(encoding).encode()).hexdigest()


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
