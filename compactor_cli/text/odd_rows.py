"""Find rows of a table, and JSON records, that differ from the others in a cell in which nearly all others agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from compactor_cli.text.patterns import compiled_later

_MIN_ROWS, _MIN_AGREEING_SHARE = 6, 0.8
"""Minimum rows that show what is usual, and the minimum share of them that agree, so that a different one is news."""
_MAX_ODD_ROWS = 3
"""Maximum rows that differ. More of them would be a kind of their own."""
_MIN_DISTINCT_SHARE = 0.8
"""Minimum share of different cells in some other column. Without such a column, the lines are not a list of things."""
_MAX_LINES, _MAX_ROW_CHARS, _MAX_CELL_CHARS = 2_000, 400, 40
"""Maximum lines of a text, characters of a row of a table, and characters of a cell."""
_BLANKS = compiled_later(r"\s\s+")
_MEMBER = compiled_later(r'"([^"\\\n]{1,40})"\s*:\s*("[^"\\\n]*"|-?\d[\d.eE+-]*|true\b|false\b|null\b)')
_WORD = compiled_later(r"\w")
_WIDE_BLANK = "  "
_SEPARATORS = ("|", "\t", _WIDE_BLANK, ",")
_SAMPLED_ROWS, _MIN_SAMPLE_SHARE = 10, 0.3
"""Rows of a text to look at before all of it is read as a table, and the share of them that have to look like one."""
_Cells = dict[int, str]
"""The cells of one column: number of the row's line -> cell."""


def odd_rows(lines: Sequence[str], text: str = "") -> list[int]:
    """Return the numbers of the lines with a different cell where nearly all others agree, such as the one job that
    failed. Lines whose column agrees most come first. Return none if the lines are no rows. An element of `lines` may
    hold several rows. `text`: the joined lines, if the caller has them."""
    text = text or "\n".join(lines)
    line_count = text.count("\n") + 1
    found: list[tuple[float, int]] = []
    if _MIN_ROWS <= line_count <= _MAX_LINES:
        rows = lines if len(lines) == line_count else text.split("\n")
        sample = [*map(str.strip, rows[:: max(1, line_count // _SAMPLED_ROWS)])]
        if separators := [sign for sign in _SEPARATORS if _may_separate(sign, sample)]:
            found += chain.from_iterable(map(_odd_in_columns, _table_columns(rows, separators)))
        if '"' in text and ('":' in text or '" :' in text):
            found += _odd_in_columns(_record_columns(rows))
    line_of_row = [number for number, line in enumerate(lines) for _ in range(line.count("\n") + 1)] if found else []
    return list(dict.fromkeys(line_of_row[row] for _, row in sorted(found)))[:_MAX_ODD_ROWS]


def _may_separate(separator: str, sample: Sequence[str]) -> bool:
    """Return whether a text of which these rows are a sample may be a table with this separator: enough of the rows
    have the same number of cells, and some column of them hardly differs. This quick check excludes most texts."""
    with_separator = [row for row in sample if separator in row]
    if len(with_separator) < _MIN_SAMPLE_SHARE * len(sample):
        return False
    split_rows = [_split_cells(row, separator) for row in with_separator]
    width = Counter(map(len, split_rows)).most_common(1)[0][0]
    alike = [cells for cells in split_rows if len(cells) == width]
    return width > 1 and len(alike) >= _MIN_SAMPLE_SHARE * len(sample) and _may_agree(alike)


def _table_columns(lines: Sequence[str], separators: Sequence[str]) -> Iterator[dict[int, _Cells]]:
    """Yield the columns of each table: lines with the same separator and the same number of cells. The first line is
    left out, as it may be the header. JSON and lines with a single cell are not tables."""
    rows = [*map(str.strip, lines)]
    rows_by_separator: dict[str, list[int]] = {separator: [] for separator in _SEPARATORS}
    for number, row in enumerate(rows):
        if "|" in row and row.count("|") > 1:
            rows_by_separator["|"].append(number)
        elif "\t" in row:
            rows_by_separator["\t"].append(number)
        elif _WIDE_BLANK in row:
            rows_by_separator[_WIDE_BLANK].append(number)
        elif "," in row and row.count(",") > 1:
            rows_by_separator[","].append(number)
    tables: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for separator in separators:
        numbers = rows_by_separator[separator]
        for number in numbers if len(numbers) > _MIN_ROWS else ():
            row = rows[number]
            if len(row) <= _MAX_ROW_CHARS and row[0] not in '{["':
                tables[separator, len(_BLANKS.split(row)) if separator == _WIDE_BLANK else row.count(separator)].append(
                    number
                )
    for (separator, _), numbers_alike in tables.items():
        with_words = (
            (number for number in numbers_alike if _WORD.search(rows[number]))
            if len(numbers_alike) > _MIN_ROWS
            else iter(())
        )
        first_rows = [*islice(with_words, 1, _MIN_ROWS + 1)]
        if len(first_rows) == _MIN_ROWS and _may_agree(
            [_split_cells(rows[number], separator) for number in first_rows]
        ):
            used_rows = [*first_rows, *with_words]
            columns = zip(*(_split_cells(rows[number], separator) for number in used_rows), strict=True)
            yield {
                column: dict(zip(used_rows, map(str.strip, cells), strict=True)) for column, cells in enumerate(columns)
            }


def _may_agree(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether some column of a few rows has few different cells, since all but `_MAX_ODD_ROWS` rows of a table
    must have the usual one. This quick check excludes most lists of places, and code with line numbers."""
    return any(len({*map(str.strip, cells)}) <= _MAX_ODD_ROWS + 1 for cells in zip(*rows, strict=True))


def _split_cells(row: str, separator: str) -> Sequence[str]:
    return _BLANKS.split(row) if separator == _WIDE_BLANK else row.split(separator)


def _record_columns(lines: Sequence[str]) -> dict[int, _Cells]:
    """Return the members of JSON records as columns. Leave out a member that a line has several times: such a line
    holds several records."""
    columns: defaultdict[str, _Cells] = defaultdict(dict)
    counts: Counter[tuple[str, int]] = Counter()
    for number, line in enumerate(lines):
        for key, value in _MEMBER.findall(line) if '":' in line or '" :' in line else ():
            counts[key, number] += 1
            if counts[key, number] == 1:
                columns[key][number] = value
            else:
                columns[key].pop(number, None)
    return dict(enumerate(columns.values()))


def _odd_in_columns(columns: Mapping[int, _Cells]) -> Iterator[tuple[float, int]]:
    """Yield the rows with a different cell, each with the share of rows that differ in that column."""
    for column, cells in columns.items():
        if len(cells) < _MIN_ROWS:
            continue
        (usual, count), *_ = Counter(cells.values()).most_common(1)
        if (
            count < max(_MIN_ROWS - 1, _MIN_AGREEING_SHARE * len(cells))
            or len(usual) > _MAX_CELL_CHARS
            or not _WORD.search(usual)
        ):
            continue
        odd_lines = [line for line, cell in cells.items() if cell != usual]
        all_short = all(0 < len(cells[line]) <= _MAX_CELL_CHARS and _WORD.search(cells[line]) for line in odd_lines)
        if 0 < len(odd_lines) <= _MAX_ODD_ROWS and all_short and _has_naming_column(columns, column):
            yield from ((len(odd_lines) / len(cells), line) for line in odd_lines)


def _has_naming_column(columns: Mapping[int, _Cells], column: int) -> bool:
    """Return whether another column has a different cell for most rows of a column, as names do."""
    rows = len(columns[column])
    return any(
        other != column and rows <= len(cells) and len(set(cells.values())) >= _MIN_DISTINCT_SHARE * len(cells)
        for other, cells in columns.items()
    )
