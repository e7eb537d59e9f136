"""Vocabularies on disk: the ones that litellm's package ships, found without importing it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

_URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
"""tiktoken names the files of its cache by the SHA-1 of these addresses; nothing is fetched from them."""

ENCODINGS = ("o200k_base", "cl100k_base")


def litellm_folder() -> Path | None:
    """Folder of the installed litellm package; it is not imported, which takes seconds."""
    spec = importlib.util.find_spec("litellm")
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def cache_folder(encoding: str) -> Path | None:
    """A folder that holds the vocabulary of an encoding under the name tiktoken's cache expects."""
    file = hashlib.sha1(_URL.format(encoding).encode()).hexdigest()
    candidates = [
        Path(os.environ[name]) for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR") if os.environ.get(name)
    ]
    package = litellm_folder()
    if package:
        candidates.append(package / "litellm_core_utils" / "tokenizers")
    return next((folder for folder in candidates if (folder / file).is_file()), None)
