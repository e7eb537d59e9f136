"""Tracebacks: how the output of a program ends that raised an exception."""

from __future__ import annotations

import re
from collections import deque

from msgspec import Struct

from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later

HEADER = "Traceback (most recent call last)"
_CELL_HEADER = compiled_later(rf"^([A-Za-z_][\w.]*)[ \t]{{2,}}{re.escape(HEADER)}[ \t]*\r?\n(?=(.*))", re.MULTILINE)
"""The line above the traceback of a notebook cell: the exception, with the first frame after it."""
_IN_CELL = compiled_later(r"[ \t]*(?:Cell|Input) In ?\[|.*<ipython-input-|File |.*\bin (?:<module>|[\w.]+\()")
_HEADER_LINE = compiled_later(rf"([ \t]*){re.escape(HEADER)}:[ \t\r]*\Z")
_RAISED = compiled_later(r"[A-Za-z_][\w.]*(?::[ \t]|[ \t\r]*\Z)")
_NOTES = ("[", "(", "<")
"""How lines begin that may follow the last one of a program: notes of the harness."""
_MOST_BEHIND = 2_000
"""Maximum length of an error message that continues on further lines."""


class Trace(Struct, frozen=True):
    """A traceback of a Python program."""

    before: str
    """Whitespace before its header."""
    said: str
    """The line with the exception, without that whitespace."""
    first: int
    last: int
    """Numbers of its first and last line, from 0."""


@remembered
def raised_in_cell(text: str) -> str:
    """Return the line with the exception of a notebook cell at the end of an output; "" if there is none."""
    header = _last(_CELL_HEADER, text)
    if header is None or not _IN_CELL.match(header[2]):
        return ""
    begin = f"\n{header[1]}"
    at = max(text.rfind(f"{begin}{sign}", header.end()) for sign in (":", "\n"))
    if at < 0 and text.rstrip().endswith(begin):
        at = text.rindex(begin)
    return text[at + 1 :].partition("\n")[0].rstrip() if at >= 0 and len(text) - at < _MOST_BEHIND else ""


def raised_at_end(text: str) -> str:
    """Return the line with the exception of a Python program at the end of an output; "" if there is none."""
    traces = raised_in_program(text)
    if not traces or not _RAISED.match(traces[-1].said):
        return ""
    behind = (line.lstrip() for line in text.split("\n")[traces[-1].last + 1 :])
    return traces[-1].said.strip() if all(line.startswith(_NOTES) for line in behind if line) else ""


def raised_in_program(text: str) -> list[Trace]:
    """Return the tracebacks of Python programs in an output, in order, without nested ones."""
    found: list[Trace] = []
    begun: list[tuple[str, int]] = []
    """(prefix of the header, number of its line) of the open tracebacks, each nested in the previous one."""
    for at, line in enumerate(text.split("\n") if HEADER in text else ()):
        header = _HEADER_LINE.match(line) if HEADER in line else None
        while begun and line.strip() and not line.startswith((f"{begun[-1][0]} ", f"{begun[-1][0]}\t")):
            before, first = begun.pop()
            if not header and line.startswith(before):
                while found and found[-1].first > first:
                    found.pop()
                found.append(Trace(before, line[len(before) :], first, at))
                break
        if header:
            begun.append((header[1], at))
    return found


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = deque(pattern.finditer(text) if HEADER in text else (), maxlen=1)
    return found[0] if found else None
