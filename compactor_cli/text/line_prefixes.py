"""What runners of tasks, containers and services of CI put before each line of an output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice

from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later

_PREFIX = compiled_later(
    r"(?P<time>(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?)|"
    r"(?P<name>[A-Za-z][\w.@/-]{0,60} *\| ?|"
    r"@?[A-Za-z][\w.@-]{0,60}[:/#][\w./@:#-]{0,120}(?<!\.\w)(?<!\.\w\w)(?<!\.\w\w\w)(?<!\.\w{4})"
    r"(?:(?<!:) [\w:-]{1,30})?: ?)"
)
"""The time at which a line was put out, as services of CI write it; or the name of a container with a bar, or that of a
package with its task. What ends like the name of a file stands before what is said of that file."""
_WIDTH = 160
"""Characters at the start of a line in which all of it stands."""
_TELLS = ("error", "fail", "fatal", "exception", "panic", "warn", "http")
"""What no such name has in it."""
_LOOKED_AT = 40
"""Lines by which it is known that there is nothing of the kind."""
_FEWEST = 3
"""Lines of which one has the same name before it."""
_MOST_LINES = 0.6
"""Share of the lines with something before them."""


@remembered
def without_prefixes(text: str) -> str:
    """Return a text without what stands before most of its lines, line by line; the text itself where most have
    nothing before them."""
    begin = [line for line in islice(text[:8_000].split("\n"), _LOOKED_AT) if line.strip()]
    if len(begin) < _FEWEST or sum(map(bool, map(_prefix, begin))) < _MOST_LINES * len(begin):
        return text
    lines = text.split("\n")
    found = [_prefix(line) for line in lines]
    kinds = ["" if each is None else "time" if each["time"] else each.group() for each in found]
    times = Counter(kinds)
    own = {kind for kind, number in times.items() if number >= _FEWEST and kind and not _tells(kind)}
    if sum(times[kind] for kind in own) < _MOST_LINES * sum(map(bool, map(str.strip, lines))):
        return text
    cut = (each.end() if each is not None and kind in own else 0 for each, kind in zip(found, kinds, strict=True))
    return "\n".join(line[at:] for line, at in zip(lines, cut, strict=True))


def as_written(text: str, find: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    """Return the lines that are found in a text without what stands before most of its lines, as the text has them."""
    bare = without_prefixes(text)
    if bare == text:
        return find(text)
    written: dict[str, str] = {}
    for line, whole in zip(bare.split("\n"), text.split("\n"), strict=True):
        written.setdefault(line.rstrip(), whole.rstrip("\r"))
    return tuple(dict.fromkeys(written.get(line.rstrip(), line) for line in find(bare)))


def _prefix(line: str) -> re.Match[str] | None:
    begin = line[:_WIDTH]
    return _PREFIX.match(begin) if ":" in begin or "|" in begin else None


def _tells(name: str) -> bool:
    low = name.lower()
    return any(word in low for word in _TELLS)
