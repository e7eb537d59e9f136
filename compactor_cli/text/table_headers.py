"""Where the headers of tables stand in the output of a tool: above a rule of dashes, or above columns in line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

_RULE = compiled_later(
    r"^[ \t]*[|+]?[ \t]*:?-{2,}:?(?:[ \t]*[+|][ \t]*:?-{2,}:?|[ \t]+-{2,})+[ \t]*[|+]?[ \t\r]*$", re.MULTILINE
)
"""A line below the names of two columns or more."""
_CELL = compiled_later(r"\S+(?: \S+)*")
_NAME = compiled_later(r"[A-Za-z_%#(][\w%#./()-]*(?: [A-Za-z_(%#][\w.()%#-]*)*")
_NOT_ROWS = compiled_later(r"[ \t]*(?:\(\d+ rows?\).*|[|+]?[-+| ]*)\r?")
"""What stands below the header of a table without rows."""
_BLANK = compiled_later(r"\n[ \t\r]*\n")
_COLUMNS, _IN_LINE = 3, 0.8
"""Columns from which on they are told by their places alone, and the share of them that stands in line in a row."""
_WIDE = 400
"""Characters of a line up to which columns are looked for."""


class Table(Struct, frozen=True):
    """A table in a text."""

    start: int
    """Where its header begins, with the blanks before it."""
    rows: int
    """Where its first row begins."""
    end: int


def tables(text: str) -> list[Table]:
    """Return the tables of a text that have a header and a row, in order."""
    found = list(_ruled(text)) if "--" in text else []
    first = _in_columns(text)
    return found if first is None or (found and found[0].start <= first.start) else [first, *found]


def _ruled(text: str) -> Iterator[Table]:
    """Yield the tables whose header stands above a rule."""
    for rule in _RULE.finditer(text):
        start = text.rfind("\n", 0, max(0, rule.start() - 1)) + 1
        header = text[start : max(start, rule.start() - 1)]
        boxed = rule[0].lstrip().startswith("+")
        if not any(map(str.isalpha, header)) or (boxed and not header.lstrip().startswith("|")):
            continue
        rows = rule.end() + 1
        if rows < len(text) and not _NOT_ROWS.fullmatch(text[rows:].split("\n", 1)[0]):
            yield Table(start, rows, _end_of(text, rows))


def _in_columns(text: str) -> Table | None:
    """Return the table that a text begins with, where the names of its columns stand in line with what is below them,
    some of which is numbers."""
    first = len(text) - len(text.lstrip("\n"))
    lines = text[first : first + 3 * _WIDE].split("\n", 3)[:3]
    if len(lines) < 3 or len(lines[0]) > _WIDE:
        return None
    header, *rows = ([(match.group(), *match.span()) for match in _CELL.finditer(line)] for line in lines)
    if len(header) < _COLUMNS or not all(_NAME.fullmatch(name) for name, _, _ in header):
        return None
    for row in rows:
        in_line = sum(any(begin < stop and start < end for _, begin, stop in row) for _, start, end in header)
        if in_line < _IN_LINE * len(header) or not any(cell[:1].isdigit() for cell, _, _ in row):
            return None
    below = first + len(lines[0]) + 1
    return Table(first, below, _end_of(text, below))


def _end_of(text: str, rows: int) -> int:
    """Return where the rows of a table end: before a blank line."""
    end = _BLANK.search(text, rows)
    return end.start() if end else len(text)
