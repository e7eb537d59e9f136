"""Find the headers of tables. In tool output, a header is above a rule of dashes or above aligned columns. In prose,
it is the first row, which says what the cells of the other rows mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
_CELL = compiled_later(r"\S+(?: \S+)*")
_COLUMN_NAME = compiled_later(r"[A-Za-z_%#(][\w%#./()-]*(?: [A-Za-z_(%#][\w.()%#-]*)*")
_AFTER_ROWS = compiled_later(r"[ \t]*(?:\(\d+ rows?(?: affected)?\).*|\d+ rows? in set.*|[|+]?[-=+| ]*)\r?")
"""What follows the rows of a table, or the header of a table without rows."""
_MIN_COLUMNS, _MIN_ALIGNED_SHARE = 3, 0.8
"""Minimum number of columns that can be recognized by alignment alone, and the share of them that must be aligned in
a row."""
_MAX_LINE_CHARS = 400
"""Maximum length of a line that is searched for columns."""
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
    """Return the tables of a text that have a header and a row, in order; each ends where the next one begins."""
    ruled = _ruled_tables(text) if "--" in text or "==" in text else []
    aligned = _aligned_table(text)
    if aligned is not None and (not ruled or aligned.start < ruled[0].start):
        ruled.insert(0, aligned)
    ends = (*(table.start - 1 for table in ruled[1:]), len(text))
    bounded = (Table(table.start, table.rows, min(table.end, end)) for table, end in zip(ruled, ends, strict=False))
    return [table for table in bounded if table.end > table.rows]


def _ruled_tables(text: str) -> list[Table]:
    """Return the tables whose header is above a rule; lines above further rules of the same table are rows."""
    found: list[Table] = []
    end = -1
    for rule in _RULE.finditer(text):
        start, header = _line_before(text, rule.start())
        is_boxed = rule[0].lstrip().startswith("+")
        if rule.start() <= end or not any(map(str.isalpha, header)) or (is_boxed and "|" not in header):
            continue
        last = _table_end(text, rule.end() + 1, _row_test_by_rule(header, rule[0]))
        found.append(Table(start, rule.end() + 1, last))
        end = last + 1  # the line below may be the rule above a sum
    return found


def _line_before(text: str, position: int) -> tuple[int, str]:
    """Return the start and the text of the line before the one at a position; "" before the first line."""
    start = text.rfind("\n", 0, max(0, position - 1)) + 1
    return start, text[start : max(start, position - 1)].rstrip("\r")


def _aligned_table(text: str) -> Table | None:
    """Return the table at the beginning of a text if the names of its columns are aligned with the lines below,
    which contain numbers."""
    first = len(text) - len(text.lstrip("\n"))
    lines = text[first : first + 3 * _MAX_LINE_CHARS].split("\n", 3)[:3]
    if len(lines) < 3 or len(lines[0]) > _MAX_LINE_CHARS:
        return None
    header = list(_CELL.finditer(lines[0]))
    if len(header) < _MIN_COLUMNS or not all(_COLUMN_NAME.fullmatch(cell[0]) for cell in header):
        return None
    fits = _row_test_by_columns([cell.span() for cell in header])
    if not all(fits(row) and any(cell[0][0].isdigit() for cell in _CELL.finditer(row)) for row in lines[1:]):
        return None
    below = first + len(lines[0]) + 1
    return Table(first, below, _table_end(text, below, fits))


def _row_test_by_rule(header: str, rule: str) -> _RowTest:
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


def _row_test_by_columns(columns: Sequence[tuple[int, int]]) -> _RowTest:
    """Return a function that tells whether a line is a row below these column names: it has cells aligned with most
    of them."""

    def fits(line: str) -> bool:
        cells = [cell.span() for cell in _CELL.finditer(line[:_MAX_LINE_CHARS])]
        filled_columns = sum(any(begin < end and start < stop for begin, stop in cells) for start, end in columns)
        aligned_cells = sum(any(begin < end and start < stop for start, end in columns) for begin, stop in cells)
        return min(filled_columns, aligned_cells) >= _MIN_ALIGNED_SHARE * len(columns)

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
