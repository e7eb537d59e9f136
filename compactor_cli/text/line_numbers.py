"""The numbers that tools put before the lines of a file."""

from __future__ import annotations

import re
from itertools import islice, pairwise

from compactor_cli.text.patterns import compiled_later

NUMBERED = r"[ \t]*(?:\d{1,6}(?:→|\t|:(?!\d))|\d{5}\| ?)"
"""A number and what stands between it and the line, as a pattern."""
_NUMBER = compiled_later(rf"\n(?={NUMBERED})[ \t]*(\d+)")
"""A line break, for which a search is many times as quick as for `^`, and the number behind it."""
_NUMBERED = compiled_later(NUMBERED)
_AROUND = compiled_later(r"^[ \t]*(?:\d{1,6}(?:→|\t)|\d{5}\| ?)", re.MULTILINE)
"""A number that is no part of a quote; `12:` may be one."""
_LOOKED_AT = 12
"""Numbers by which it is told whether they are those of lines."""


def numbers(text: str) -> list[int]:
    """Return the numbers before the lines of a text, in order."""
    return [*map(int, _NUMBER.findall(f"\n{text}"))]


def is_numbered(text: str) -> bool:
    """Return whether the lines of a text have the numbers that they have in a file, some one after the other, and not
    such that belong to them, as sizes and counts do."""
    steps = _first_steps(text)
    return bool(steps) and min(steps) > 0 and 2 * steps.count(1) >= len(steps)


def ascends(text: str) -> bool:
    """Return whether the numbers before the lines of a text ascend, as those of a file do also where an earlier round
    left lines out."""
    steps = _first_steps(text)
    return bool(steps) and min(steps) > 0


def _first_steps(text: str) -> list[int]:
    """Return by how much the first numbers differ, one from the next."""
    first = [int(number[1]) for number in islice(_NUMBER.finditer(f"\n{text}"), _LOOKED_AT)]
    return [later - before for before, later in pairwise(first)]


def without_numbers(text: str, gap: str) -> str:
    """Return a text without the numbers before its lines, with `gap` where they jump: an earlier round left lines
    out."""
    if "\n" not in text:  # a search would go on behind its first character
        found = _AROUND.match(text)
        return text[found.end() :] if found else text
    last = -1

    def shown(found: re.Match[str]) -> str:
        nonlocal last
        before, last = last, int("".join(filter(str.isdigit, found[0])))
        return gap if 0 <= before < last - 1 else ""

    return _AROUND.sub(shown, text)


def has_number(line: str) -> bool:
    """Return whether a line begins with its number."""
    return _NUMBERED.match(line) is not None
