"""Vocabularies on disk, such as those that litellm's package ships, found without importing it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

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
