"""Rows of tables in prose: the first row of a table says what the cells of the others are of."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_TABLE = compiled_later(
    r"^(?:[^\n|]*… )?[ \t]*((\|[^\n]*\w[^\n]*)\n[ \t]*\|(?=[^\n]*-)[ \t:|-]+)\r?\n"
    r"((?:[ \t]*(?:\|[^\n]*|…)(?:\n|\Z))+)",
    re.MULTILINE,
)
"""A table, also as a summary quotes one: with gap signs before its first row, and between rows."""
_SHORT = 160
"""Characters of a first row at most that stands before others."""


def heads_of_rows(text: str) -> dict[int, tuple[int, int]]:
    """Return where the rows of tables begin, behind their blanks -> the span of the first row and the rule below it,
    where that row is short: a price does not say of which of three it is."""
    heads: dict[int, tuple[int, int]] = {}
    if "|\n" not in text and "|\r\n" not in text:
        return heads
    for table in _TABLE.finditer(text):
        head = table.start(1), table.start(1) + len(table[1].rstrip())
        at = table.start(3)
        for row in table[3].splitlines(keepends=True) if len(table[2].rstrip()) <= _SHORT else ():
            heads[at + len(row) - len(row.lstrip())] = head
            at += len(row)
    return heads
