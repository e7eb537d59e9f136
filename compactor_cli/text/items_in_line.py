"""Items that are numbered within one line, as in "1. Yes. 2. No, two of them. 3. On Thursday"."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.points import begins_one, ends_none

_NUMBER = compiled_later(r"(?:(?<=[\s。！？；：，、])|^)([1-9]\d?)\.\s+(?=(\S))")
_ENDS, _CLOSES, _LEADS_ON = (*".!?…;,。！？；，、", ""), (*")]\"'”»」』）",), (*":：",)
"""What precedes the number of an item; "" stands for the beginning of a line. A closing mark may also precede a
number that belongs to a thing. A colon may also precede a value, unless it introduces the first item."""
_BEFORE_COMMA = compiled_later(r"(?<!\S)(\d{1,2})[,，、;；]\s*$")
"""A number with a comma; a greater number after it continues a series, as in "hosts 1, 2. Restart both"."""
_LETTER = compiled_later(r"[^\W\d_]")
_THING = compiled_later(r"(?<![^\W\d_])([^\W\d_]+)[\s#]*(?=\d)")
"""A word followed by a number."""
_SURELY = 3
"""Minimum number of items at which no punctuation is required before their numbers: "1. Blue 2. Large 3. Next week"."""
_BLANKS = 8
"""Characters before a number that are examined."""
_END_OF_WORD = 2
"""Characters that identify a thing in a script without spaces."""


class _Number(Struct, frozen=True):
    start: int
    point: int
    number: int
    is_behind_end: bool
    begins_one: bool
    """Whether a sentence clearly begins after it."""


def numbers_of_items(line: str) -> list[tuple[int, int]]:
    """Return (start of the number, position of its point) for each item in a line, in order. Items count up from 1,
    are at least two, and have words between them."""
    groups: list[list[_Number]] = []
    for match in _NUMBER.finditer(line):
        start, point = match.span(1)
        if match[2].islower() or ends_none(line, point):
            continue  # it specifies a noun, or the sentence continues
        ended = _ends_before(line, start, point)
        number = _Number(start, point, int(match[1]), ended, begins_one(line, point))
        if number.number == 1 and number.is_behind_end:
            groups.append([number])
        elif groups:
            groups[-1].append(number)
    of_things = _numbers_of_things(line) if any(len(group) >= _SURELY for group in groups) else frozenset[int]()
    runs = [_items(group, of_things) for group in groups]
    return [
        (number.start, number.point)
        for run in runs
        if len(run) > 1 and all(_LETTER.search(line, before.point, after.start) for before, after in pairwise(run))
        for number in run
    ]


def _items(numbers: list[_Number], of_things: frozenset[int]) -> list[_Number]:
    """Return the numbers that belong to items, beginning with the first. If any later number follows the end of a
    sentence, only such numbers count. Otherwise all count, unless they may be the numbers of things; then the first
    is returned alone."""
    first, *others = numbers
    if any(number.is_behind_end for number in others):
        return _counting_on(first, [number for number in others if number.is_behind_end])
    run = _counting_on(first, others)
    is_list = len(run) >= _SURELY and not any(number.begins_one or number.start in of_things for number in run[1:])
    return run if is_list else [first]


def _counting_on(first: _Number, numbers: list[_Number]) -> list[_Number]:
    """Return a number together with the further numbers that count up from it."""
    run = [first]
    for number in numbers:
        if number.number == len(run) + 1:
            run.append(number)
    return run


def _numbers_of_things(line: str) -> frozenset[int]:
    """Return the positions of numbers after a word that has another number elsewhere in the line, as in "Stop worker
    2. Leave worker 3"."""
    things = [(_thing(match[1]), match.end()) for match in _THING.finditer(line)]
    times = Counter(thing for thing, _ in things)
    return frozenset(start for thing, start in things if times[thing] > 1)


def _thing(word: str) -> str:
    folded = word.casefold()
    return folded if folded != word.upper() else word[-_END_OF_WORD:]


def _ends_before(line: str, start: int, point: int) -> bool:
    """Return whether a sentence or phrase ends before the number between two positions of a line."""
    before, number = line[max(0, start - _BLANKS) : start].rstrip(), int(line[start:point])
    if number == 1:
        return before[-1:] in (*_ENDS, *_CLOSES, *_LEADS_ON)
    if before[-1:] in _CLOSES:
        return not begins_one(line, point)
    smaller = _BEFORE_COMMA.search(line, max(0, start - _BLANKS), start)
    return before[-1:] in _ENDS and not (smaller and int(smaller[1]) < number)
