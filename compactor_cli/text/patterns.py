"""Regular expressions that are compiled when they are used first: most sessions need few of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

_ALIKE = str.maketrans({"ſ": "s", "ı": "i", "\u0307": ""})
"""Letters that a pattern which ignores case takes for those of ASCII, and what is left of a dotted I in small."""


class _Later:
    """A pattern that is not compiled yet."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(self._source, self._flags), name)
        self.__dict__[name] = attribute  # from now on it is as quick as that of a pattern
        return attribute


class _Worded:
    """A pattern that matches only where one of its words is: where none is, it need not be compiled."""

    def __init__(self, pattern: _Later, words: Sequence[str]) -> None:
        self._pattern = pattern
        self._words = words

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def search(self, text: str, *span: int) -> Any:
        return self._pattern.search(text, *span) if holds(text, self._words) else None

    def match(self, text: str, *span: int) -> Any:
        return self._pattern.match(text, *span) if holds(text, self._words) else None

    def fullmatch(self, text: str, *span: int) -> Any:
        return self._pattern.fullmatch(text, *span) if holds(text, self._words) else None

    def finditer(self, text: str, *span: int) -> Iterator[Any]:
        return self._pattern.finditer(text, *span) if holds(text, self._words) else iter(())


def compiled_later(source: str, flags: int = 0, words: Sequence[str] = ()) -> re.Pattern[str]:
    """Return what works as `re.compile(source, flags)` does, for methods and attributes. `words`: in small letters; of
    these one is in whatever it matches, and only a text with one is searched."""
    later = _Later(source, flags)
    return cast("re.Pattern[str]", _Worded(later, words) if words else later)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern of any of many words. Those that begin alike are one branch of it, so that at most places of a
    text a search tries none: in a line, it is three times as quick as to look for one word after the other."""
    behind: dict[str, list[str]] = {}
    for word in words:
        behind.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rests)})" for letter, rests in behind.items())


def in_small(text: str) -> str:
    """Return a text in small letters, so that what is in it in any case, to a pattern that ignores case, is in it."""
    small = text.lower()
    return small if text.isascii() else small.translate(_ALIKE)


def holds(text: str, words: Sequence[str]) -> bool:
    """Return whether one of the words, in small letters, is in a text, in whatever case."""
    small = in_small(text)
    return any(map(small.__contains__, words))
