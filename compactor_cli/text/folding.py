"""Normalize words for comparison across languages: lower case, without accents."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "œ": "oe", "æ": "ae"})
"""Letters whose mark is not a separate Unicode character."""
_LAST_ACCENT, _FIRST_OTHER_SCRIPT = "\u0370", "\u0530"
"""The first code points after combining accents, and after the scripts that use them: Latin, Greek, Cyrillic."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return a text in lower case without accents. Folding preserves substrings: a folded part of a text is found in
    the folded text."""
    lower = text.casefold()
    if lower.isascii():
        return lower
    letters = (_without_accent(sign) for sign in lower)
    return "".join(letters).translate(_LETTERS)


def _without_accent(sign: str) -> str:
    first = unicodedata.normalize("NFD", sign)[0]
    return (
        "" if unicodedata.combining(first) and first < _LAST_ACCENT else first if first < _FIRST_OTHER_SCRIPT else sign
    )
