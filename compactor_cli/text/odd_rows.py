"""Rows of a table, and records of JSON, that differ from the others in a cell in which nearly all of these agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from compactor_cli.text.patterns import compiled_later

_LEAST, _AGREE = 6, 0.8
"""Rows from which on they say what is usual, and the share of them that agrees where one that does not is news."""
_MOST = 3
"""Rows that may differ: more are a kind of their own."""
_NAMED = 0.8
"""Share of rows that a column tells apart: without one that does, the lines are no list of things."""
_LINES, _WIDE, _CELL = 2_000, 400, 40
"""Lines of a text, and characters of a row and of a cell, that are looked at."""
_BLANKS = compiled_later(r"\s\s+")
_MEMBER = compiled_later(r'"([^"\\\n]{1,40})"\s*:\s*("[^"\\\n]*"|-?\d[\d.eE+-]*|true\b|false\b|null\b)')
_WORD = compiled_later(r"\w")
_WIDE_BLANK = "  "
_Cells = dict[int, str]
"""Row -> its cell of a column, by the number of its line."""


def odd_rows(lines: Sequence[str], text: str = "") -> list[int]:
    """Return the numbers of lines with a cell of their own where nearly all others agree, such as the one job that
    failed, those first whose others agree most; none where the lines are no rows. A line may hold several rows.
    `text`: the lines, joined, where they are at hand."""
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
    """Yield the columns of lines that are parted alike, in as many cells; the first of them may be their header. Lines
    of JSON, and those of one cell, are none of them."""
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
    """Return whether the first rows have few cells in a column, as all but `_MOST` have the usual one: a quick look
    that most lists of places, and code with the numbers of its lines, do not pass."""
    return any(len({*map(str.strip, cells)}) <= _MOST + 1 for cells in zip(*rows, strict=True))


def _cells(row: str, sign: str) -> Sequence[str]:
    return _BLANKS.split(row) if sign == _WIDE_BLANK else row.split(sign)


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
