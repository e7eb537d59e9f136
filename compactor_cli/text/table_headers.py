"""Find the headers of tables. In tool output, a header is above a rule of dashes. In prose, it is the first row, which
says what the cells of the other rows mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

_RULE_SEGMENT = r"(?:-{2,}|={2,})"
_RULE = compiled_later(
    rf"^[ \t]*(?:[|+][ \t]*)?:?{_RULE_SEGMENT}:?(?:[ \t]*[+|][ \t]*:?{_RULE_SEGMENT}:?|[ \t]+{_RULE_SEGMENT})+[ "
    rf"\t\r]*(?:[|+][ \t\r]*)?$",
    re.MULTILINE,
)
"""A rule for two or more columns, which may also separate rows."""
_COLUMN_RULE = compiled_later(r"[-=:]{2,}")
_AFTER_ROWS = compiled_later(r"[ \t]*(?:\(\d+ rows?(?: affected)?\).*|\d+ rows? in set.*|[|+]?[-=+| ]*)\r?")
"""What follows the rows of a table, or the header of a table without rows."""
_MIN_ALIGNED_SHARE = 0.8
"""Minimum share of the gaps between columns that must be blank in a row."""
_RowTest = Callable[[str], bool]
_PROSE_TABLE = compiled_later(
    r"^(?:[^\n|]*… )?[ \t]*((\|[^\n]*\w[^\n]*)\n[ \t]*\|(?=[^\n]*-)[ \t:|-]+)\r?\n"
    r"((?:[ \t]*(?:\|[^\n]*|…)(?:\n|\Z))+)",
    re.MULTILINE,
)
"""A table, including the form in which a summary quotes one: with gap signs before its first row and between rows."""
_MAX_HEAD_CHARS = 160
"""Maximum length of a first row that is repeated before other rows."""


class Table(Struct, frozen=True):
    """A table in a text."""

    start: int
    """Start of its header, including leading whitespace."""
    rows: int
    """Start of its first row."""
    end: int


def find_tables(text: str) -> list[Table]:
    """Return the tables of a text that have a header above a rule and a row, in order; lines above further rules of
    the same table are rows."""
    found: list[Table] = []
    end = -1
    for rule in _RULE.finditer(text) if "--" in text or "==" in text else ():
        start = text.rfind("\n", 0, max(0, rule.start() - 1)) + 1
        header = text[start : max(start, rule.start() - 1)].rstrip("\r")
        is_boxed = rule[0].lstrip().startswith("+")
        if rule.start() <= end or not any(map(str.isalpha, header)) or (is_boxed and "|" not in header):
            continue
        rows = rule.end() + 1
        last = _table_end(text, rows, _row_test(header, rule[0]))
        end = last + 1  # the line below may be the rule above a sum
        if last > rows:
            found.append(Table(start, rows, last))
    return found


def _row_test(header: str, rule: str) -> _RowTest:
    """Return a function that tells whether a line is a row of a table with this rule, or a rule between rows. A row
    has the bars of the header, or spaces where the rule has them."""
    is_open, bars = rule.lstrip()[:1] in ("|", "+"), header.count("|")
    columns = [column.span() for column in _COLUMN_RULE.finditer(rule)]
    gaps = [(end, start) for (_, end), (start, _) in pairwise(columns)]

    def fits(line: str) -> bool:
        if _RULE.fullmatch(line):
            return is_open
        if bars:
            return line.count("|") >= max(1, bars - 1)
        line = line.expandtabs()
        return sum(start >= len(line) or " " in line[end:start] for end, start in gaps) >= _MIN_ALIGNED_SHARE * len(
            gaps
        )

    return fits


def _table_end(text: str, rows: int, fits: _RowTest) -> int:
    """Return where the rows of a table end: before the first line that is not a row, such as a second consecutive
    rule."""
    line_start = end = rows
    after_rule = True
    while line_start < len(text):
        line_end = text.find("\n", line_start)
        line_end = len(text) if line_end < 0 else line_end
        line = text[line_start:line_end]
        is_rule = _RULE.fullmatch(line) is not None
        if (after_rule and is_rule) or not (is_rule or not _AFTER_ROWS.fullmatch(line)) or not fits(line):
            break
        after_rule, end, line_start = is_rule, line_end, line_end + 1
    return end


def row_heads(text: str) -> dict[int, tuple[int, int]]:
    """Map the starts of table rows, after their indent, to the span of the first row and its rule, if that row is
    short. A price does not say which of three prices it is."""
    heads: dict[int, tuple[int, int]] = {}
    if "|\n" not in text and "|\r\n" not in text:
        return heads
    for table in _PROSE_TABLE.finditer(text):
        head = table.start(1), table.start(1) + len(table[1].rstrip())
        row_start = table.start(3)
        for row in table[3].splitlines(keepends=True) if len(table[2].rstrip()) <= _MAX_HEAD_CHARS else ():
            heads[row_start + len(row) - len(row.lstrip())] = head
            row_start += len(row)
    return heads
