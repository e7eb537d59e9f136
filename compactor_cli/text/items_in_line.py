"""Items that are numbered in one line, as in "1. Yes. 2. No, two of them. 3. On Thursday"."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.points import begins_one, ends_none

_NUMBER = compiled_later(r"(?:(?<=[\s。！？；：，、])|^)([1-9]\d?)\.\s+(?=(\S))")
_ENDS, _CLOSES, _LEADS_ON = (*".!?…;,。！？；，、", ""), (*")]\"'”»」』）",), (*":：",)
"""What stands before the number of an item: nothing at the beginning of a line; what closes something is before the
number of a thing, too, and what leads on is before its value, unless it leads on to the first item."""
_BEFORE_COMMA = compiled_later(r"(?<!\S)(\d{1,2})[,，、;；]\s*$")
"""A number with a comma: a greater one behind it is of a row of them, as in "hosts 1, 2. Restart both"."""
_LETTER = compiled_later(r"[^\W\d_]")
_THING = compiled_later(r"(?<![^\W\d_])([^\W\d_]+)[\s#]*(?=\d)")
"""A word with a number behind it."""
_SURELY = 3
"""Items from which on nothing has to end before their numbers: "1. Blue 2. Large 3. Next week"."""
_BLANKS = 8
"""Characters before a number that are looked at."""
_END_OF_WORD = 2
"""Characters of a thing in a script that writes words without blanks."""


class _Number(Struct, frozen=True):
    start: int
    point: int
    number: int
    is_behind_end: bool
    begins_one: bool
    """A sentence begins behind it, for sure."""


def numbers_of_items(line: str) -> list[tuple[int, int]]:
    """Return where the numbers of items in a line begin, and the points behind them, in order: those that count on from
    1, two at least, with words between them."""
    groups: list[list[_Number]] = []
    for match in _NUMBER.finditer(line):
        start, point = match.span(1)
        if match[2].islower() or ends_none(line, point):
            continue  # it says which one, or the sentence goes on
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
    """Return those of some numbers, from a first one on, that are of items, or the first alone: those behind an end; if
    there are none, all may be without one, but not if they may be the numbers of things."""
    first, *others = numbers
    if any(number.is_behind_end for number in others):
        return _counting_on(first, [number for number in others if number.is_behind_end])
    run = _counting_on(first, others)
    is_list = len(run) >= _SURELY and not any(number.begins_one or number.start in of_things for number in run[1:])
    return run if is_list else [first]


def _counting_on(first: _Number, numbers: list[_Number]) -> list[_Number]:
    """Return a number with those of further ones that count on."""
    run = [first]
    for number in numbers:
        if number.number == len(run) + 1:
            run.append(number)
    return run


def _numbers_of_things(line: str) -> frozenset[int]:
    """Return where the numbers begin that are behind a word which has another one elsewhere in the line, as in "Stop
    worker 2. Leave worker 3"."""
    things = [(_thing(match[1]), match.end()) for match in _THING.finditer(line)]
    times = Counter(thing for thing, _ in things)
    return frozenset(start for thing, start in things if times[thing] > 1)


def _thing(word: str) -> str:
    folded = word.casefold()
    return folded if folded != word.upper() else word[-_END_OF_WORD:]


def _ends_before(line: str, start: int, point: int) -> bool:
    """Return whether something ends before the number of a line that is between two places."""
    before, number = line[max(0, start - _BLANKS) : start].rstrip(), int(line[start:point])
    if number == 1:
        return before[-1:] in (*_ENDS, *_CLOSES, *_LEADS_ON)
    if before[-1:] in _CLOSES:
        return not begins_one(line, point)
    smaller = _BEFORE_COMMA.search(line, max(0, start - _BLANKS), start)
    return before[-1:] in _ENDS and not (smaller and int(smaller[1]) < number)
