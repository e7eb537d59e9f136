"""Find rows of a table, and JSON records, that differ from the others in a cell in which nearly all others agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from compactor_cli.text.patterns import compiled_later

_LEAST, _AGREE = 6, 0.8
"""Minimum rows that show what is usual, and the minimum share of them that agree, so that a different one is news."""
_MOST = 3
"""Maximum rows that differ. More of them would be a kind of their own."""
_NAMED = 0.8
"""Minimum share of different cells in some other column. Without such a column, the lines are not a list of things."""
_LINES, _WIDE, _CELL = 2_000, 400, 40
"""Maximum lines of a text, characters of a row of a table, and characters of a cell."""
_BLANKS = compiled_later(r"\s\s+")
_MEMBER = compiled_later(r'"([^"\\\n]{1,40})"\s*:\s*("[^"\\\n]*"|-?\d[\d.eE+-]*|true\b|false\b|null\b)')
_WORD = compiled_later(r"\w")
_WIDE_BLANK = "  "
_Cells = dict[int, str]
"""The cells of one column: number of the row's line -> cell."""


def odd_rows(lines: Sequence[str], text: str = "") -> list[int]:
    """Return the numbers of the lines with a different cell where nearly all others agree, such as the one job that
    failed. Lines whose column agrees most come first. Return none if the lines are no rows. An element of `lines` may
    hold several rows. `text`: the joined lines, if the caller has them."""
    text = text or "\n".join(lines)
    number = text.count("\n") + 1
    found: list[tuple[float, int]] = []
    if _LEAST <= number <= _LINES:
        rows = lines if len(lines) == number else text.split("\n")
        if any(text.count(sign) > _LEAST for sign in ("\t", ",", "|", _WIDE_BLANK)):
            found += chain.from_iterable(map(_odd, _tables(rows)))
        if '"' in text and ('":' in text or '" :' in text):
            found += _odd(_members(rows))
    held = [number for number, line in enumerate(lines) for _ in range(line.count("\n") + 1)] if found else []
    return list(dict.fromkeys(held[row] for _, row in sorted(found)))[:_MOST]


def _tables(lines: Sequence[str]) -> Iterator[dict[int, _Cells]]:
    """Yield the columns of each table: lines with the same separator and the same number of cells. The first line is
    left out, as it may be the header. JSON and lines with a single cell are not tables."""
    rows = [*map(str.strip, lines)]
    parted: dict[str, list[int]] = {"|": [], "\t": [], _WIDE_BLANK: [], ",": []}
    for number, row in enumerate(rows):
        if "|" in row and row.count("|") > 1:
            parted["|"].append(number)
        elif "\t" in row:
            parted["\t"].append(number)
        elif _WIDE_BLANK in row:
            parted[_WIDE_BLANK].append(number)
        elif "," in row and row.count(",") > 1:
            parted[","].append(number)
    tables: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for sign, numbers in parted.items():
        for number in numbers if len(numbers) > _LEAST else ():
            row = rows[number]
            if len(row) <= _WIDE and row[0] not in '{["':
                tables[sign, len(_BLANKS.split(row)) if sign == _WIDE_BLANK else row.count(sign)].append(number)
    for (sign, _), alike in tables.items():
        worded = (number for number in alike if _WORD.search(rows[number])) if len(alike) > _LEAST else iter(())
        begin = [*islice(worded, 1, _LEAST + 1)]
        if len(begin) == _LEAST and _may_agree([_cells(rows[number], sign) for number in begin]):
            told = [*begin, *worded]
            columns = zip(*(_cells(rows[number], sign) for number in told), strict=True)
            yield {at: dict(zip(told, map(str.strip, cells), strict=True)) for at, cells in enumerate(columns)}


def _may_agree(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether some column of the first rows has few different cells, since all but `_MOST` rows must have the
    usual one. This quick check excludes most lists of places, and code with line numbers."""
    return any(len({*map(str.strip, cells)}) <= _MOST + 1 for cells in zip(*rows, strict=True))


def _cells(row: str, sign: str) -> Sequence[str]:
    return _BLANKS.split(row) if sign == _WIDE_BLANK else row.split(sign)


def _members(lines: Sequence[str]) -> dict[int, _Cells]:
    """Return the members of JSON records as columns. Leave out a member that a line has several times: such a line
    holds several records."""
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
    """Yield the rows with a different cell, each with the share of rows that differ in that column."""
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
    """Return whether another column has a different cell for most rows of a column, as names do."""
    rows = len(columns[column])
    return any(
        at != column and rows <= len(cells) and len(set(cells.values())) >= _NAMED * len(cells)
        for at, cells in columns.items()
    )
