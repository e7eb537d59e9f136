"""Tracebacks: how the output of a program ends that raised an exception."""

from __future__ import annotations

import re
from collections import deque

from msgspec import Struct

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.patterns import compiled_later

TRACEBACK_HEADER = "Traceback (most recent call last)"
_CELL_HEADER = compiled_later(
    rf"^([A-Za-z_][\w.]*)[ \t]{{2,}}{re.escape(TRACEBACK_HEADER)}[ \t]*\r?\n(?=(.*))", re.MULTILINE
)
"""The line above the traceback of a notebook cell: the exception, with the first frame after it."""
_CELL_FRAME = compiled_later(r"[ \t]*(?:Cell|Input) In ?\[|.*<ipython-input-|File |.*\bin (?:<module>|[\w.]+\()")
_HEADER_LINE = compiled_later(rf"([ \t]*){re.escape(TRACEBACK_HEADER)}:[ \t\r]*\Z")
_EXCEPTION_LINE = compiled_later(r"[A-Za-z_][\w.]*(?::[ \t]|[ \t\r]*\Z)")
_NOTE_PREFIXES = ("[", "(", "<")
"""How lines begin that may follow the last one of a program: notes of the harness."""
_MAX_MESSAGE_CHARS = 2_000
"""Maximum length of an error message that continues on further lines."""


class Traceback(Struct, frozen=True):
    """A traceback of a Python program."""

    indent: str
    """Whitespace before its header."""
    exception: str
    """The line with the exception, without that whitespace."""
    first: int
    last: int
    """Numbers of its first and last line, from 0."""


@cache_by_text
def cell_exception(text: str) -> str:
    """Return the line with the exception of a notebook cell at the end of an output; "" if there is none."""
    header = _last_match(_CELL_HEADER, text)
    if header is None or not _CELL_FRAME.match(header[2]):
        return ""
    line_start = f"\n{header[1]}"
    position = max(text.rfind(f"{line_start}{sign}", header.end()) for sign in (":", "\n"))
    if position < 0 and text.rstrip().endswith(line_start):
        position = text.rindex(line_start)
    return (
        text[position + 1 :].partition("\n")[0].rstrip()
        if position >= 0 and len(text) - position < _MAX_MESSAGE_CHARS
        else ""
    )


def final_exception(text: str) -> str:
    """Return the line with the exception of a Python program at the end of an output; "" if there is none."""
    traces = find_tracebacks(text)
    if not traces or not _EXCEPTION_LINE.match(traces[-1].exception):
        return ""
    following = (line.lstrip() for line in text.split("\n")[traces[-1].last + 1 :])
    return traces[-1].exception.strip() if all(line.startswith(_NOTE_PREFIXES) for line in following if line) else ""


def find_tracebacks(text: str) -> list[Traceback]:
    """Return the tracebacks of Python programs in an output, in order, without nested ones."""
    traces: list[Traceback] = []
    open_headers: list[tuple[str, int]] = []
    """(prefix of the header, number of its line) of the open tracebacks, each nested in the previous one."""
    for number, line in enumerate(text.split("\n") if TRACEBACK_HEADER in text else ()):
        header = _HEADER_LINE.match(line) if TRACEBACK_HEADER in line else None
        while (
            open_headers
            and line.strip()
            and not line.startswith((f"{open_headers[-1][0]} ", f"{open_headers[-1][0]}\t"))
        ):
            before, first = open_headers.pop()
            if not header and line.startswith(before):
                while traces and traces[-1].first > first:
                    traces.pop()
                traces.append(Traceback(before, line[len(before) :], first, number))
                break
        if header:
            open_headers.append((header[1], number))
    return traces


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = deque(pattern.finditer(text) if TRACEBACK_HEADER in text else (), maxlen=1)
    return found[0] if found else None
