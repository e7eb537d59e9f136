"""Items that are numbered in one line, as in "1. Yes. 2. No, two of them. 3. On Thursday"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from compactor_cli.text.patterns import compiled_later

_NUMBER = compiled_later(r"(?:(?<=[\s。！？；：，、])|^)([1-9]\d?)\.\s+(?=\S)")
_ENDS = (*".!?…:;,)]\"'”»。！？；：，、」』）", "")
"""What stands before the number of an item; nothing at the beginning of a line."""
_LETTER = compiled_later(r"[^\W\d_]")
_SURELY = 3
"""Items from which on nothing has to end before the numbers of further ones: "1. yes 2. no 3. the blue one"."""

_BLANKS = 8
"""Characters before a number that are looked at."""


def numbers_of_items(line: str) -> list[tuple[int, int]]:
    """Return where the numbers of items in a line begin, and the points behind them, in order: those that count on from
    1, two at least, with words between them."""
    found: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    for match in _NUMBER.finditer(line):
        number, place = int(match[1]), (match.start(1), match.end(1))
        if number == 1 and _ends_before(line, match.start()):
            found += _told(line, run)
            run = [place]
        elif run and number == len(run) + 1:
            run.append(place)
    return [*found, *_told(line, run)]


def _told(line: str, run: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the places of a run of numbers that are of items."""
    sure = len(run) >= _SURELY
    is_list = len(run) > 1 and all(
        _LETTER.search(line, point, following) and (sure or _ends_before(line, following))
        for (_, point), (following, _) in pairwise(run)
    )
    yield from run if is_list else ()


def _ends_before(line: str, at: int) -> bool:
    """Return whether something ends before a place of a line."""
    return line[max(0, at - _BLANKS) : at].rstrip()[-1:] in _ENDS
