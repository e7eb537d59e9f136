"""Treat combining marks as letters of the words that they belong to.

`\\w` and `str.isalpha` accept no marks, so that words in Hindi, Tamil or vocalized Arabic would fall into pieces.
"""

from __future__ import annotations

import re
import unicodedata

_LETTER = "\u0101"
_AS_THEY_ARE = range(0x0E00, 0x0F00), range(0x1000, 0x10A0), range(0x1780, 0x1800), range(0xFE00, 0xFE10)
"""Code points of scripts without spaces, where no words are looked for, and the variation selectors of pictographs."""


class _Table(dict[int, int]):
    """Map the code points of marks to a letter, and all others to themselves."""

    def __missing__(self, code: int) -> int:
        is_mark = unicodedata.category(chr(code)) in ("Mn", "Mc") and not any(code in part for part in _AS_THEY_ARE)
        self[code] = ord(_LETTER) if is_mark else code
        return self[code]


_TABLE = _Table()


def marks_as_letters(text: str) -> str:
    """Return a text of the same length in which marks are letters. Find words in it, and take them from the same
    places of the original text."""
    return text if text.isascii() else text.translate(_TABLE)


def is_word(text: str) -> bool:
    """Return whether a text consists of letters with their marks."""
    return text.isalpha() or (not text.isascii() and text[:1].isalpha() and marks_as_letters(text).isalpha())


def find_words(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return what `pattern.findall` returns for a pattern without groups, with marks as letters."""
    if text.isascii():
        return pattern.findall(text)
    return [text[found.start() : found.end()] for found in pattern.finditer(marks_as_letters(text))]
