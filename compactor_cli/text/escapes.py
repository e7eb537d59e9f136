"""JSON inside a string with its escapes resolved for reading, and the resulting positions of its characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from compactor_cli.text.patterns import compiled_later

_ESCAPE = compiled_later(r"\\(?:([nrt\"/\\])|u([0-9a-fA-F]{4}))")
_ESCAPED_CHARACTERS = {"n": "\n", "r": "", "t": "\t", '"': '"', "/": "/", "\\": "\\"}
_HIGH_SURROGATES, _LOW_SURROGATES = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
"""Surrogates: two escapes may form one character."""

PositionMap = Callable[[int], int]
"""Position in a text -> position in the readable text. A position within an escape maps to the escape's end."""


def readable(text: str) -> str:
    """Return JSON inside a string with escaped line breaks, quotes and letters resolved."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda match: _ESCAPED_CHARACTERS[match[1]] if match[1] else chr(int(match[2], 16)), text)
    # a lone surrogate is replaced
    return plain if plain.isascii() else plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def map_to_readable(text: str) -> PositionMap:
    """Return a function from positions in a text to those in the readable text."""
    starts: list[int] = []
    ends: list[int] = []
    shortened_by: list[int] = []
    half_end = -1
    for match in _ESCAPE.finditer(text):
        code = int(match[2], 16) if match[2] else 0
        joins = code in _LOW_SURROGATES and match.start() == half_end
        half_end = match.end() if code in _HIGH_SURROGATES else -1
        starts.append(match.start())
        ends.append(match.end())
        shortened_by.append(match.end() - match.start() - (0 if joins or match[1] == "r" else 1))
    total_shortened = [0, *accumulate(shortened_by)]

    def place(position: int) -> int:
        count = bisect_right(starts, position - 1)  # number of escapes that begin before it
        return max(position, ends[count - 1] if count else 0) - total_shortened[count]

    return place
