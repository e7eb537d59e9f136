"""Traces of what was raised: how an output ends in which a program gave up."""

from __future__ import annotations

import re
from collections import deque

from compactor_cli.text.cached import remembered

HEADER = "Traceback (most recent call last)"
_CELL_HEADER = re.compile(rf"^([A-Za-z_][\w.]*)[ \t]{{2,}}{re.escape(HEADER)}[ \t]*\r?\n(?=(.*))", re.MULTILINE)
"""What stands over the trace of a cell: what was raised, and behind it the first of its frames."""
_IN_CELL = re.compile(r"[ \t]*(?:Cell|Input) In ?\[|.*<ipython-input-|File |.*\bin (?:<module>|[\w.]+\()")
_RAISED = re.compile(
    rf"^([ \t]*){re.escape(HEADER)}:[ \t]*\r?\n(?:\1[ \t].*\n|\r?\n)*\1(?=[A-Za-z_][\w.]*(?::[ \t]|[ \t]*$))(.+)",
    re.MULTILINE,
)
_NOTES = ("[", "(", "<")
"""How lines begin that may stand behind the last one of a program: notes of the harness."""
_MOST_BEHIND = 2_000
"""Characters of what is said of an error in further lines."""


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
    found = _last(_RAISED, text)
    if found is None:
        return ""
    behind = (line.lstrip() for line in text[found.end() :].split("\n"))
    return found[2].strip() if all(line.startswith(_NOTES) for line in behind if line) else ""


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = deque(pattern.finditer(text) if HEADER in text else (), maxlen=1)
    return found[0] if found else None
