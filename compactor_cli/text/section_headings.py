"""Find the headings inside a text, so that a quote from one section does not look like part of the section before."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import takewhile

from compactor_cli.text.patterns import compiled_later

_HEADING_OR_CODE = compiled_later(
    r"^ {0,3}(?:(#{1,6}[ \t]+\S[^\n]{0,100}|\*\*[^*\n]{1,100}\*\*:?[ \t]*)$|"  # the second is a bold line
    r"(`{3,}|~{3,}).*?(?:^ {0,3}\2[`~]*[ \t]*$|\Z))",
    re.MULTILINE | re.DOTALL,
)
_HEADING_LINE = compiled_later(r"\s*(?:#{1,6}\s+\S.*|\*\*[^*\n]+\*\*:?)\s*")
_FILE_PATH = r"(?:[\w.@+~-]*[/\\])*[\w.@+~-]*\w\.\w{1,8}|(?:[\w.@+~-]+[/\\])+[\w.@+~-]+"
_FILE_LINE = compiled_later(
    rf"^(?:diff --git \S+ \S+|(?:#{{1,6}}|={{2,}}>?|-{{2,}}(?=[ \t].*--$)|\*{{3}}|File:|\[File:)[ \t]+(?:{_FILE_PATH})"
    r"(?:[ \t]*[:(\[\]<=*-][^\n]{0,60})?)$",
    re.MULTILINE,
)
"""The line above a file in an output that shows several files, or their changes."""
_FILE_LINE_HINTS = ("diff --git ", "\n#", "\n=", "\n--", "\n***", "File:")
_MIN_FILES = 2
Span = tuple[int, int]


def is_heading(line: str) -> bool:
    """Return whether a line is a heading, or entirely in bold."""
    return _HEADING_LINE.fullmatch(line) is not None


def heading_between(text: str, start: int, end: int) -> Span | None:
    """Return the span of the last heading that lies entirely between two positions of a text. Return None if there is
    none, or if another heading begins at `end`."""
    if "\n" not in text[start:end]:
        return None
    headings = _headings(text)
    index = bisect_left(headings, (end, 0))
    if not index or headings[index - 1][0] < start or headings[index - 1][1] > end:
        return None
    precedes_heading = index < len(headings) and not text[end : headings[index][0]].strip()
    return None if precedes_heading else headings[index - 1]


def headings_between(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Return the span that `heading_between` finds. If that heading is a bold line, return the heading of its section
    before it, if that lies between the two positions too."""
    heading = heading_between(text, start, end)
    if heading is None or text.startswith("#", heading[0]):
        return (heading,) if heading else ()
    headings = _headings(text)
    earlier = map(headings.__getitem__, range(bisect_left(headings, heading) - 1, -1, -1))
    headings_within = takewhile(lambda span: span[0] >= start, earlier)
    section = next((span for span in headings_within if text.startswith("#", span[0])), None)
    return (section, heading) if section else (heading,)


@lru_cache(maxsize=16)  # callers ask about the lines of one text in turn
def _headings(text: str) -> tuple[Span, ...]:
    """Return the spans of the headings outside code blocks, in order."""
    found = _HEADING_OR_CODE.finditer(text) if "#" in text or "**" in text else ()
    return tuple(match.span() for match in found if match[1])


class FilesShown:
    """The lines above the files that outputs show. Each output is searched once."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Span, ...]] = {}
        """Number of an output -> the spans of these lines."""

    def file_line_before(self, output: int, text: str, start: int, end: int) -> tuple[Span, ...]:
        """Return the span of the line above the file that an output shows at `end`, if the output shows several files
        and the line lies between the two positions; else return no span. `output`: the number of the text."""
        if output not in self._found:
            self._found[output] = _file_line_spans(text)
        files = self._found[output]
        if not files:  # the usual case
            return ()
        index = bisect_left(files, (end, 0))
        return files[index - 1 : index] if index and start <= files[index - 1][0] and files[index - 1][1] <= end else ()


def _file_line_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of the lines above files, in order; empty if there are fewer than two."""
    if not any(map(text.__contains__, _FILE_LINE_HINTS)):  # the usual case
        return ()
    spans = tuple(match.span() for match in _FILE_LINE.finditer(text))
    return spans if len(spans) >= _MIN_FILES else ()
