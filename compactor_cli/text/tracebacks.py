"""Traces of what was raised: how an output ends in which a program gave up."""

from __future__ import annotations

import re
from collections import deque

from msgspec import Struct

from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later

HEADER = "Traceback (most recent call last)"
_CELL_HEADER = compiled_later(rf"^([A-Za-z_][\w.]*)[ \t]{{2,}}{re.escape(HEADER)}[ \t]*\r?\n(?=(.*))", re.MULTILINE)
"""What stands over the trace of a cell: what was raised, and behind it the first of its frames."""
_IN_CELL = compiled_later(r"[ \t]*(?:Cell|Input) In ?\[|.*<ipython-input-|File |.*\bin (?:<module>|[\w.]+\()")
_HEADER_LINE = compiled_later(rf"([ \t]*){re.escape(HEADER)}:[ \t\r]*\Z")
_RAISED = compiled_later(r"[A-Za-z_][\w.]*(?::[ \t]|[ \t\r]*\Z)")
_NOTES = ("[", "(", "<")
"""How lines begin that may stand behind the last one of a program: notes of the harness."""
_MOST_BEHIND = 2_000
"""Characters of what is said of an error in further lines."""


class Trace(Struct, frozen=True):
    """A trace of a Python program."""

    before: str
    """Blanks before its header."""
    said: str
    """The line that says what was raised, without them."""
    first: int
    last: int
    """Its lines, counted from 0."""


@remembered
def raised_in_cell(text: str) -> str:
    """Return the line that says what the cell of a notebook raised, with which an output ends; empty for others."""
    header = _last(_CELL_HEADER, text)
    if header is None or not _IN_CELL.match(header[2]):
        return ""
    begin = f"\n{header[1]}"
    at = max(text.rfind(f"{begin}{sign}", header.end()) for sign in (":", "\n"))
    if at < 0 and text.rstrip().endswith(begin):
        at = text.rindex(begin)
    return text[at + 1 :].partition("\n")[0].rstrip() if at >= 0 and len(text) - at < _MOST_BEHIND else ""


def raised_at_end(text: str) -> str:
    """Return the line that says what a Python program raised, with which an output ends; empty for others."""
    traces = raised_in_program(text)
    if not traces or not _RAISED.match(traces[-1].said):
        return ""
    behind = (line.lstrip() for line in text.split("\n")[traces[-1].last + 1 :])
    return traces[-1].said.strip() if all(line.startswith(_NOTES) for line in behind if line) else ""


def raised_in_program(text: str) -> list[Trace]:
    """Return the traces of Python programs that an output holds, in order, without those inside of others."""
    found: list[Trace] = []
    begun: list[tuple[str, int]] = []
    """What stands before the headers, and their lines; of each that is inside of the one before."""
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
