"""Items that are numbered within one line, as in "1. Yes. 2. No, two of them. 3. On Thursday"."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from msgspec import Struct

from compactor_cli.text.full_stops import is_before_sentence, is_no_sentence_end
from compactor_cli.text.patterns import compiled_later

_ITEM_NUMBER = compiled_later(r"(?:(?<=[\s。！？；：，、])|^)([1-9]\d?)\.\s+(?=(\S))")
_PHRASE_ENDS, _CLOSING_MARKS, _COLONS = (*".!?…;,。！？；，、", ""), (*")]\"'”»」』）",), (*":：",)
"""What precedes the number of an item; "" stands for the beginning of a line. A closing mark may also precede a
number that belongs to a thing. A colon may also precede a value, unless it introduces the first item."""
_NUMBER_WITH_COMMA = compiled_later(r"(?<!\S)(\d{1,2})[,，、;；]\s*$")
"""A number with a comma; a greater number after it continues a series, as in "hosts 1, 2. Restart both"."""
_LETTER = compiled_later(r"[^\W\d_]")
_WORD_BEFORE_NUMBER = compiled_later(r"(?<![^\W\d_])([^\W\d_]+)[\s#]*(?=\d)")
"""A word followed by a number."""
_MIN_SURE_ITEMS = 3
"""Minimum number of items at which no punctuation is required before their numbers: "1. Blue 2. Large 3. Next week"."""
_CHARS_BEFORE = 8
"""Characters before a number that are examined."""
_WORD_END_CHARS = 2
"""Characters that identify a thing in a script without spaces."""


class _Number(Struct, frozen=True):
    start: int
    point: int
    number: int
    follows_end: bool
    begins_sentence: bool
    """Whether a sentence clearly begins after it."""


def numbers_of_items(line: str) -> list[tuple[int, int]]:
    """Return (start of the number, position of its point) for each item in a line, in order. Items count up from 1,
    are at least two, and have words between them."""
    groups: list[list[_Number]] = []
    for match in _ITEM_NUMBER.finditer(line):
        start, point = match.span(1)
        if match[2].islower() or is_no_sentence_end(line, point):
            continue  # it specifies a noun, or the sentence continues
        follows_end = _ends_before(line, start, point)
        number = _Number(start, point, int(match[1]), follows_end, is_before_sentence(line, point))
        if number.number == 1 and number.follows_end:
            groups.append([number])
        elif groups:
            groups[-1].append(number)
    thing_numbers = (
        _numbers_of_things(line) if any(len(group) >= _MIN_SURE_ITEMS for group in groups) else frozenset[int]()
    )
    runs = [_items(group, thing_numbers) for group in groups]
    return [
        (number.start, number.point)
        for run in runs
        if len(run) > 1 and all(_LETTER.search(line, before.point, after.start) for before, after in pairwise(run))
        for number in run
    ]


def _items(numbers: list[_Number], thing_numbers: frozenset[int]) -> list[_Number]:
    """Return the numbers that belong to items, beginning with the first. If any later number follows the end of a
    sentence, only such numbers count. Otherwise all count, unless they may be the numbers of things; then the first
    is returned alone."""
    first, *others = numbers
    if any(number.follows_end for number in others):
        return _consecutive(first, [number for number in others if number.follows_end])
    run = _consecutive(first, others)
    is_list = len(run) >= _MIN_SURE_ITEMS and not any(
        number.begins_sentence or number.start in thing_numbers for number in run[1:]
    )
    return run if is_list else [first]


def _consecutive(first: _Number, numbers: list[_Number]) -> list[_Number]:
    """Return a number together with the further numbers that count up from it."""
    run = [first]
    for number in numbers:
        if number.number == len(run) + 1:
            run.append(number)
    return run


def _numbers_of_things(line: str) -> frozenset[int]:
    """Return the positions of numbers after a word that has another number elsewhere in the line, as in "Stop worker
    2. Leave worker 3"."""
    things = [(_thing_key(match[1]), match.end()) for match in _WORD_BEFORE_NUMBER.finditer(line)]
    counts = Counter(thing for thing, _ in things)
    return frozenset(start for thing, start in things if counts[thing] > 1)


def _thing_key(word: str) -> str:
    lower = word.casefold()
    return lower if lower != word.upper() else word[-_WORD_END_CHARS:]


def _ends_before(line: str, start: int, point: int) -> bool:
    """Return whether a sentence or phrase ends before the number between two positions of a line."""
    before, number = line[max(0, start - _CHARS_BEFORE) : start].rstrip(), int(line[start:point])
    if number == 1:
        return before[-1:] in (*_PHRASE_ENDS, *_CLOSING_MARKS, *_COLONS)
    if before[-1:] in _CLOSING_MARKS:
        return not is_before_sentence(line, point)
    smaller = _NUMBER_WITH_COMMA.search(line, max(0, start - _CHARS_BEFORE), start)
    return before[-1:] in _PHRASE_ENDS and not (smaller and int(smaller[1]) < number)
