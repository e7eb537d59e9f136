"""Words as they are compared across languages: in small letters, without accents."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans({"ł": "l", "ı": "i", "ø": "o", "đ": "d", "œ": "oe", "æ": "ae"})
"""Letters with a part that is no sign of its own."""
_LAST_ACCENT, _OTHERS = "\u0370", "\u0530"
"""Behind accents, and behind the letters that are written with them: Latin, Greek, Cyrillic."""


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return a text in small letters without accents; what is in it folded is in it whatever its accents are."""
    small = text.casefold()
    if small.isascii():
        return small
    bare = (_without_accent(sign) for sign in small)
    return "".join(bare).translate(_LETTERS)


def _without_accent(sign: str) -> str:
    first = unicodedata.normalize("NFD", sign)[0]
    return "" if unicodedata.combining(first) and first < _LAST_ACCENT else first if first < _OTHERS else sign
