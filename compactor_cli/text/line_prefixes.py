"""Prefixes of output lines: line numbers added by tools, and prefixes of task runners, containers and CI services."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice, pairwise

from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later

_PREFIX = compiled_later(
    r"\n(?:(?P<time>(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?)|"
    r"(?P<name>[A-Za-z][\w.@/-]{0,60} *\| ?|"
    r"@?[A-Za-z][\w.@-]{0,60}[:/#][\w./@:#-]{0,120}(?=[: ])(?<!:)(?<!\.\w)(?<!\.\w\w)(?<!\.\w\w\w)(?<!\.\w{4})"
    r"(?:(?<!:) [\w:-]{1,30})?:(?!:) ?))"
)
"""A timestamp as written by CI services; the name of a container and a bar; or the name of a package and its task. A
word that ends like a file name does not match, because the rest of the line is about that file."""
_TELLS = ("error", "fail", "fatal", "exception", "panic", "warn", "http")
"""Words that do not occur in such names."""
_BEGIN, _LOOKED_AT = 8_000, 40
"""Characters and lines that are enough to decide that a text has no prefixes."""
_FEWEST = 3
"""Minimum number of lines with the same name."""
_MOST_LINES = 0.6
"""Minimum share of lines with a prefix."""
NUMBERED = r"[ \t]*(?:\d{1,6}(?:→|\t|:(?!\d))|\d{5}\| ?)"
"""A line number and what separates it from the line, as a pattern."""
_NUMBER = compiled_later(rf"\n(?={NUMBERED})[ \t]*(\d+)")
"""A line break, which is found many times faster than `^`, and the number after it."""
_NUMBERED = compiled_later(NUMBERED)
_AROUND = compiled_later(r"^[ \t]*(?:\d{1,6}(?:→|\t)|\d{5}\| ?)", re.MULTILINE)
"""A number that is not part of a quote; `12:` may be."""
_NUMBERS_LOOKED_AT = 12
"""Numbers that are enough to decide whether they are line numbers."""
_LINE_NUMBER = compiled_later(r"[ \t]*L?\d+(?:→|\t|-|(?: ?\||:)(?=[ \t]*[^\s\d]))")
"""The number of a line of a file, before its text."""


@remembered
def without_prefixes(text: str) -> str:
    """Return a text without the prefixes of its lines; unchanged if most lines have none."""
    lines = f"\n{text}"
    begin = text[:_BEGIN].split("\n", _LOOKED_AT)[:_LOOKED_AT]
    number, end = _not_blank(begin), len(begin) + sum(map(len, begin))
    found = list(_PREFIX.finditer(lines, 0, end))
    if number < _FEWEST or len(found) < _MOST_LINES * number:
        return text
    last = lines.rfind("\n", 0, end)  # this line may have been examined only in part
    found = [*(each for each in found if each.start() < last), *_PREFIX.finditer(lines, last)]
    kinds = [each["name"] or "time" for each in found]
    times = Counter(kinds)
    own = {kind for kind, number in times.items() if number >= _FEWEST and not _tells(kind)}
    if sum(times[kind] for kind in own) < _MOST_LINES * _not_blank(text.split("\n")):
        return text
    pieces, at = [], 1
    for each, kind in zip(found, kinds, strict=True):
        if kind in own:
            pieces.append(lines[at : each.start() + 1])
            at = each.end()
    return "".join([*pieces, lines[at:]])


def without_prefix(line: str) -> str:
    """Return a line without what could be a prefix."""
    found = _PREFIX.match(f"\n{line}")
    return line[found.end() - 1 :] if found else line


def as_written(text: str, find: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the lines that `find` returns for a text without prefixes, in their original form."""
    bare = without_prefixes(text)
    if bare == text:
        return find(text)
    written: dict[str, str] = {}
    for line, whole in zip(bare.split("\n"), text.split("\n"), strict=True):
        written.setdefault(line.rstrip(), whole.rstrip("\r"))
    return tuple(dict.fromkeys(written.get(line.rstrip(), line) for line in find(bare)))


def _not_blank(lines: Iterable[str]) -> int:
    return sum(map(bool, map(str.strip, lines)))


def _tells(name: str) -> bool:
    low = name.lower()
    return any(word in low for word in _TELLS)


def numbers(text: str) -> list[int]:
    """Return the numbers before the lines of a text, in order."""
    return [*map(int, _NUMBER.findall(f"\n{text}"))]


def is_numbered(text: str) -> bool:
    """Return whether a text has the line numbers of a file: they ascend, and at least half are consecutive. Sizes
    and counts are not like that."""
    steps = _first_steps(text)
    return bool(steps) and min(steps) > 0 and 2 * steps.count(1) >= len(steps)


@lru_cache(maxsize=16)  # called for each line of a text
def ascends(text: str) -> bool:
    """Return whether the numbers before the lines of a text ascend. Those of a file do even if an earlier round left
    lines out."""
    steps = _first_steps(text)
    return bool(steps) and min(steps) > 0


def _first_steps(text: str) -> list[int]:
    """Return the differences between consecutive numbers at the beginning."""
    first = [int(number[1]) for number in islice(_NUMBER.finditer(f"\n{text}"), _NUMBERS_LOOKED_AT)]
    return [later - before for before, later in pairwise(first)]


def without_numbers(text: str, gap: str) -> str:
    """Return a text without the numbers before its lines, and with `gap` where they jump because an earlier round
    left lines out."""
    if "\n" not in text:  # a search would continue after its first character
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


def indent_at(text: str, start: int) -> str:
    """Return the whitespace before the first word of a line; "" for a position within the line."""
    blanks = text[text.rfind("\n", 0, start) + 1 : start]
    return "" if blanks.strip() else blanks


def has_words(line: str) -> bool:
    """Return whether a line has a letter or a digit, not counting its line number."""
    number = _LINE_NUMBER.match(line)
    return any(map(str.isalnum, line[number.end() :] if number else line))
