"""Rows of a table, and records of JSON, that differ from the others in a cell in which nearly all of these agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from compactor_cli.text.patterns import compiled_later

_LEAST, _AGREE = 6, 0.8
"""Rows from which on they say what is usual, and the share of them that agrees where one that does not is news."""
_MOST = 3
"""Rows that may differ: more are a kind of their own."""
_NAMED = 0.8
"""Share of rows that a column tells apart: without one that does, the lines are no list of things."""
_LINES, _WIDE, _CELL = 2_000, 400, 40
"""Lines of a text, and characters of a row and of a cell, that are looked at."""
_BLANKS = compiled_later(r"\s{2,}|\t")
_MEMBER = compiled_later(r'"([^"\\\n]{1,40})"\s*:\s*("[^"\\\n]*"|-?\d[\d.eE+-]*|true\b|false\b|null\b)')
_WORD = compiled_later(r"\w")
_Cells = dict[int, str]
"""Row -> its cell of a column, by the number of its line."""


def odd_rows(lines: Sequence[str]) -> list[int]:
    """Return the numbers of lines with a cell of their own where nearly all others agree, such as the one job that
    failed, those first whose others agree most; none where the lines are no rows. A line may hold several rows."""
    held = [number for number, line in enumerate(lines) for _ in range(line.count("\n") + 1)]
    rows = "\n".join(lines).split("\n") if len(held) <= _LINES else []
    found: list[tuple[float, int]] = []
    for columns in (*_tables(rows).values(), _members(rows)) if len(rows) >= _LEAST else ():
        found += _odd(columns)
    return list(dict.fromkeys(held[row] for _, row in sorted(found)))[:_MOST]


def _tables(lines: Sequence[str]) -> dict[tuple[str, int], dict[int, _Cells]]:
    """Return the columns of lines that are parted alike, in as many cells; the first of them may be their header."""
    tables: dict[tuple[str, int], dict[int, _Cells]] = {}
    for number, line in enumerate(lines):
        row = line.strip()
        sign, cells = _parted(row) if len(row) <= _WIDE and _WORD.search(row) else ("", [])
        shape = sign, len(cells)
        if shape not in tables:
            tables[shape] = {column: {} for column in range(len(cells))}
            continue
        for column, cell in enumerate(cells):
            tables[shape][column][number] = cell.strip()
    return tables


def _parted(line: str) -> tuple[str, Sequence[str]]:
    """Return what parts the cells of a line, and the cells; none of a line of JSON or of one cell."""
    if line[:1] in ("{", "[", '"'):
        return "", []
    for sign, least in (("|", 2), ("\t", 1), ("  ", 1), (",", 2)):
        if line.count(sign) >= least:
            return sign, _BLANKS.split(line) if sign == "  " else line.split(sign)
    return "", []


def _members(lines: Sequence[str]) -> dict[int, _Cells]:
    """Return the members of records of JSON as columns; a line with several records has none of what they have all."""
    columns: defaultdict[str, _Cells] = defaultdict(dict)
    times: Counter[tuple[str, int]] = Counter()
    for number, line in enumerate(lines):
        for key, value in _MEMBER.findall(line) if '":' in line or '" :' in line else ():
            times[key, number] += 1
            if times[key, number] == 1:
                columns[key][number] = value
            else:
                columns[key].pop(number, None)
    return dict(enumerate(columns.values()))


def _odd(columns: Mapping[int, _Cells]) -> Iterator[tuple[float, int]]:
    """Yield the rows with a cell of their own, each with the share of rows that are like it."""
    for at, cells in columns.items():
        if len(cells) < _LEAST:
            continue
        (usual, count), *_ = Counter(cells.values()).most_common(1)
        if count < max(_LEAST - 1, _AGREE * len(cells)) or len(usual) > _CELL or not _WORD.search(usual):
            continue
        odd = [line for line, cell in cells.items() if cell != usual]
        short = all(0 < len(cells[line]) <= _CELL and _WORD.search(cells[line]) for line in odd)
        if 0 < len(odd) <= _MOST and short and _tell_apart(columns, at):
            yield from ((len(odd) / len(cells), line) for line in odd)


def _tell_apart(columns: Mapping[int, _Cells], column: int) -> bool:
    """Return whether another column has a name of its own for most of the rows of a column."""
    rows = len(columns[column])
    return any(
        at != column and rows <= len(cells) and len(set(cells.values())) >= _NAMED * len(cells)
        for at, cells in columns.items()
    )
