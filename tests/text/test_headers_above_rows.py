"""The header of a table above a rule; what looks like one is none."""

from __future__ import annotations

from typing import SupportsIndex

import pytest

from compactor_cli.text.table_headers import find_tables

PSQL = " gate | level\n------+-------\n   77 | high\n   78 | low\n(2 rows)\n\nnext"
MARKDOWN = "Look:\n\n| Gate | Level |\n|:--|--:|\n| a | high |\n\nnext"
BOXED = "+------+-------+\n| gate | level |\n+------+-------+\n| a    | high  |\n+------+-------+"


@pytest.mark.parametrize(
    ("text", "header", "row"),
    [
        (PSQL, " gate | level", "   77 | high"),
        (MARKDOWN, "| Gate | Level |", "| a | high |"),
        (BOXED, "| gate | level |", "| a    | high  |"),
    ],
)
def test_a_table_has_a_header_and_a_row(text: str, header: str, row: str) -> None:
    (table,) = find_tables(text)
    assert text[table.start :].startswith(header)
    assert text[table.rows :].startswith(row)
    assert "next" not in text[table.start : table.end]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n-----\nIts first line",
        "--- a/tides.py\n+++ b/tides.py\n@@ -1 +1 @@",
        " gate | level\n------+-------\n(0 rows)",
        "INFO   main   start\nINFO   main   goes on\nINFO   main   ends",
        "import  os\nimport  re\nimport  json",
        "2026-11-18   INFO   start\n2026-11-18   INFO   goes on\n2026-11-18   WARN   ends",
        "def  tide  (gate):\n    return 7\n    end",
        "-rw-r--r--  1  node\n-rw-r--r--  2  node\n-rw-r--r--  3  node",
        "-- a comment\n-- of SQL\nselect 1",
        "one  line  alone",
        "+ added -- here\n+------\nmore",
        "usage: gate  [-h]  file\n\n  -h  help  7\n  -v  more  8",
        "---- ----\n1 2",
        "gate   level   size\n7 gates of the north are high\n8 gates of the south are low",
        "gate   level   size\n7   x\n8   y",
    ],
)
def test_what_looks_like_a_table_is_none(text: str) -> None:
    assert find_tables(text) == []


def shown(text: str) -> list[tuple[str, str]]:
    """The header of each table with its rule, and its rows."""
    return [(text[table.start : table.rows].rstrip(), text[table.rows : table.end]) for table in find_tables(text)]


RULE = "+------+-------+"
GRID = f"{RULE}\n| gate | level |\n{RULE.replace('-', '=')}\n| a    | high  |\n{RULE}\n| b    | burst |\n{RULE}\n"
MYSQL = f"{BOXED.replace('| a ', '| q ')}\n| b    | burst |\n{RULE}\n2 rows in set (0.00 sec)\n"
SIMPLE = "==== =====\ngate level\n==== =====\na    high\nb    burst\n==== =====\n"


@pytest.mark.parametrize(
    ("text", "header", "last"),
    [
        (GRID, "| gate | level |\n+======+=======+", f"| b    | burst |\n{RULE}"),
        (MYSQL.replace(f"{RULE}\n| b", "| b"), f"| gate | level |\n{RULE}", f"| b    | burst |\n{RULE}"),
        (MYSQL.replace(f"{RULE}\n| b", "| b").replace("2 rows", "12 row"), f"| gate | level |\n{RULE}", RULE),
        (SIMPLE, "gate level\n==== =====", "a    high\nb    burst"),
        ("Gate      Qty\n--------- ---\nLow       3\nHigh      4\n--------- ---\nAll       7", "Gate      Qty", "4"),
        ("| a | b |\n|---|---|\n| 1 | x |\n|---|---|\n| sum | y |\nend", "| a | b |\n|---|---|", "| sum | y |"),
        (
            "gate | level\n-----+------\na    | low\nb    | high\n-----+------\nall  | low",
            "gate | level",
            "b    | high",
        ),
    ],
)
def test_rows_with_a_rule_below_are_no_headers(text: str, header: str, last: str) -> None:
    ((begins, rows),) = shown(text)
    assert begins.startswith(header)
    assert rows.endswith(last)


@pytest.mark.parametrize(
    "text",
    [
        "Low   3\nHigh  4\n----- -\nAll   7",
        " gate | level\n------+-------\n(0 rows affected)",
        " gate | level\n------+-------\n0 rows in set",
        f"{RULE}\n| gate | level |\n{RULE}\n{RULE}\n",
    ],
)
def test_in_doubt_a_line_is_a_row(text: str) -> None:
    assert find_tables(text) == []


def test_a_table_ends_where_a_line_is_no_row() -> None:
    assert [rows for _, rows in shown("id | name\n---+-----\n1  | a\nDone in 7 ms")] == ["1  | a"]
    assert [rows for _, rows in shown("gate level size\n---- ----- ----\na    low   7\nINFO:opened_it_again now")] == [
        "a    low   7"
    ]
    assert [rows for _, rows in shown(f"{BOXED}\n{BOXED.replace('| a ', '| b ')}")] == [
        f"| a    | high  |\n{RULE}",
        f"| b    | high  |\n{RULE}",
    ]


class Read(str):
    """A text that counts the characters which are taken out of it."""

    taken = 0

    def __getitem__(self, at: SupportsIndex | slice) -> str:
        piece = super().__getitem__(at)
        self.taken += len(piece)
        return piece


@pytest.mark.parametrize(
    "text", ["a  b\n--- ---\nx   1\n\n", "| a | b |\n|---|---|\n| c | d |\n\n", f"{BOXED}\n", "a | b\n--+--\n1 | 2\n"]
)
def test_of_many_tables_each_line_is_read_a_few_times(text: str) -> None:
    whole = Read(text * 300)
    assert find_tables(whole)
    assert len(text) < whole.taken < 5 * len(whole)


@pytest.mark.parametrize("line", ["{}", "|{}", "--{}", "-- --{}", "|--|{}", "{}|{}x"])
def test_lines_of_blanks_are_read_once(line: str) -> None:
    """Once for each of their blanks, this would take hours."""
    wide = "\n".join([line.format(*[" " * 400_000] * 2), "Mast  Height", "----  ------", "Elm   30"])
    assert [wide[table.start : table.rows] for table in find_tables(wide)] == ["Mast  Height\n----  ------\n"]
