"""What runners of tasks, containers and services of CI put before each line of an output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later

_PREFIX = compiled_later(
    r"\n(?:(?P<time>(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?)|"
    r"(?P<name>[A-Za-z][\w.@/-]{0,60} *\| ?|"
    r"@?[A-Za-z][\w.@-]{0,60}[:/#][\w./@:#-]{0,120}(?=[: ])(?<!:)(?<!\.\w)(?<!\.\w\w)(?<!\.\w\w\w)(?<!\.\w{4})"
    r"(?:(?<!:) [\w:-]{1,30})?:(?!:) ?))"
)
"""The time at which a line was put out, as services of CI write it; or the name of a container with a bar, or that of a
package with its task. What ends like the name of a file stands before what is said of that file."""
_TELLS = ("error", "fail", "fatal", "exception", "panic", "warn", "http")
"""What no such name has in it."""
_BEGIN, _LOOKED_AT = 8_000, 40
"""Characters and lines by which it is known that there is nothing of the kind."""
_FEWEST = 3
"""Lines of which one has the same name before it."""
_MOST_LINES = 0.6
"""Share of the lines with something before them."""


@remembered
def without_prefixes(text: str) -> str:
    """Return a text without what stands before most of its lines, line by line; the text itself where most have
    nothing before them."""
    lines = f"\n{text}"
    begin = text[:_BEGIN].split("\n", _LOOKED_AT)[:_LOOKED_AT]
    number, end = _not_blank(begin), len(begin) + sum(map(len, begin))
    found = list(_PREFIX.finditer(lines, 0, end))
    if number < _FEWEST or len(found) < _MOST_LINES * number:
        return text
    last = lines.rfind("\n", 0, end)  # a line that may have been looked at in part
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
    """Return a line without what may stand before most lines of its text."""
    found = _PREFIX.match(f"\n{line}")
    return line[found.end() - 1 :] if found else line


def as_written(text: str, find: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the lines that are found in a text without what stands before most of its lines, as the text has them."""
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
