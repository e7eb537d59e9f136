"""Words by which two sentences are on one subject, in any language."""

from __future__ import annotations

import re

# compiled where they are used: large classes take milliseconds, and most sessions have room for all requests
_WIDE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_WORD = r"[^\W_]+(?:[./:@_-]+[^\W_]+)*"


def subject_terms(text: str) -> set[str]:
    """Return words that two sentences on one subject may share; of scripts without blanks, pairs of characters."""
    if text.isascii():
        return {word for word in re.findall(_WORD, text.lower()) if len(word) > 2}
    words = re.findall(f"{_WIDE}|{_WORD}", text.lower())
    wide = [bool(re.match(_WIDE, word)) for word in words]
    pairs = {a + b for a, b, x, y in zip(words, words[1:], wide, wide[1:], strict=False) if x and y}
    return pairs | {word for word, is_wide in zip(words, wide, strict=True) if not is_wide and len(word) > 2}
