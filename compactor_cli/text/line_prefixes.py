"""Prefixes of output lines: line numbers added by tools, and prefixes of task runners, containers and CI services."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice, pairwise

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.patterns import compiled_later

_PREFIX = compiled_later(
    r"\n(?:(?P<time>(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?)|"
    r"(?P<name>[A-Za-z][\w.@/-]{0,60} *\| ?|"
    r"@?[A-Za-z][\w.@-]{0,60}[:/#][\w./@:#-]{0,120}(?=[: ])(?<!:)(?<!\.\w)(?<!\.\w\w)(?<!\.\w\w\w)(?<!\.\w{4})"
    r"(?:(?<!:) [\w:-]{1,30})?:(?!:) ?))"
)
"""A timestamp as written by CI services; the name of a container and a bar; or the name of a package and its task. A
word that ends like a file name does not match, because the rest of the line is about that file."""
_ERROR_WORDS = ("error", "fail", "fatal", "exception", "panic", "warn", "http")
"""Words that do not occur in such names."""
_SEARCHED_CHARS, _SEARCHED_LINES = 8_000, 40
"""Characters and lines that are enough to decide that a text has no prefixes."""
_MIN_LINES = 3
"""Minimum number of lines with the same name."""
_MIN_PREFIXED_SHARE = 0.6
"""Minimum share of lines with a prefix."""
NUMBER_PATTERN = r"[ \t]*(?:\d{1,6}(?:→|\t|:(?!\d))|\d{5}\| ?)"
"""A line number and what separates it from the line, as a pattern."""
_NUMBER = compiled_later(rf"\n(?={NUMBER_PATTERN})[ \t]*(\d+)")
"""A line break, which is found many times faster than `^`, and the number after it."""
_NUMBERED_LINE = compiled_later(NUMBER_PATTERN)
_UNQUOTED_NUMBER = compiled_later(r"^[ \t]*(?:\d{1,6}(?:→|\t)|\d{5}\| ?)", re.MULTILINE)
"""A number that is not part of a quote; `12:` may be."""
_MAX_CHECKED_NUMBERS = 12
"""Numbers that are enough to decide whether they are line numbers."""
_LINE_NUMBER = compiled_later(r"[ \t]*L?\d+(?:→|\t|-|(?: ?\||:)(?=[ \t]*[^\s\d]))")
"""The number of a line of a file, before its text."""


@cache_by_text
def without_prefixes(text: str) -> str:
    """Return a text without the prefixes of its lines; unchanged if most lines have none."""
    lines = f"\n{text}"
    first_lines = text[:_SEARCHED_CHARS].split("\n", _SEARCHED_LINES)[:_SEARCHED_LINES]
    nonblank, end = _count_nonblank(first_lines), len(first_lines) + sum(map(len, first_lines))
    matches = list(_PREFIX.finditer(lines, 0, end))
    if nonblank < _MIN_LINES or len(matches) < _MIN_PREFIXED_SHARE * nonblank:
        return text
    last = lines.rfind("\n", 0, end)  # this line may have been examined only in part
    matches = [*(match for match in matches if match.start() < last), *_PREFIX.finditer(lines, last)]
    kinds = [match["name"] or "time" for match in matches]
    counts = Counter(kinds)
    prefix_kinds = {kind for kind, nonblank in counts.items() if nonblank >= _MIN_LINES and not _has_error_word(kind)}
    if sum(counts[kind] for kind in prefix_kinds) < _MIN_PREFIXED_SHARE * _count_nonblank(text.split("\n")):
        return text
    pieces, offset = [], 1
    for match, kind in zip(matches, kinds, strict=True):
        if kind in prefix_kinds:
            pieces.append(lines[offset : match.start() + 1])
            offset = match.end()
    return "".join([*pieces, lines[offset:]])


def without_prefix(line: str) -> str:
    """Return a line without what could be a prefix."""
    match = _PREFIX.match(f"\n{line}")
    return line[match.end() - 1 :] if match else line


def find_in_unprefixed(text: str, find: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the lines that `find` returns for a text without prefixes, in their original form."""
    unprefixed = without_prefixes(text)
    if unprefixed == text:
        return find(text)
    written: dict[str, str] = {}
    for line, original in zip(unprefixed.split("\n"), text.split("\n"), strict=True):
        written.setdefault(line.rstrip(), original.rstrip("\r"))
    return tuple(dict.fromkeys(written.get(line.rstrip(), line) for line in find(unprefixed)))


def _count_nonblank(lines: Iterable[str]) -> int:
    return sum(map(bool, map(str.strip, lines)))


def _has_error_word(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in _ERROR_WORDS)


def line_numbers(text: str) -> list[int]:
    """Return the numbers before the lines of a text, in order."""
    return [*map(int, _NUMBER.findall(f"\n{text}"))]


def is_numbered(text: str) -> bool:
    """Return whether a text has the line numbers of a file: they ascend, and at least half are consecutive. Sizes
    and counts are not like that."""
    steps = _first_steps(text)
    return bool(steps) and min(steps) > 0 and 2 * steps.count(1) >= len(steps)


@lru_cache(maxsize=16)  # called for each line of a text
def has_ascending_numbers(text: str) -> bool:
    """Return whether the numbers before the lines of a text ascend. Those of a file do even if an earlier round left
    lines out."""
    steps = _first_steps(text)
    return bool(steps) and min(steps) > 0


def _first_steps(text: str) -> list[int]:
    """Return the differences between consecutive numbers at the beginning."""
    first = [int(number[1]) for number in islice(_NUMBER.finditer(f"\n{text}"), _MAX_CHECKED_NUMBERS)]
    return [later - earlier for earlier, later in pairwise(first)]


def without_numbers(text: str, gap: str) -> str:
    """Return a text without the numbers before its lines, and with `gap` where they jump because an earlier round
    left lines out."""
    if "\n" not in text:  # a search would continue after its first character
        match = _UNQUOTED_NUMBER.match(text)
        return text[match.end() :] if match else text
    last = -1

    def shown(found: re.Match[str]) -> str:
        nonlocal last
        before, last = last, int("".join(filter(str.isdigit, found[0])))
        return gap if 0 <= before < last - 1 else ""

    return _UNQUOTED_NUMBER.sub(shown, text)


def has_number(line: str) -> bool:
    """Return whether a line begins with its number."""
    return _NUMBERED_LINE.match(line) is not None


def indent_at(text: str, start: int) -> str:
    """Return the whitespace before the first word of a line; "" for a position within the line."""
    blanks = text[text.rfind("\n", 0, start) + 1 : start]
    return "" if blanks.strip() else blanks


def has_words(line: str) -> bool:
    """Return whether a line has a letter or a digit, not counting its line number."""
    number = _LINE_NUMBER.match(line)
    return any(map(str.isalnum, line[number.end() :] if number else line))
