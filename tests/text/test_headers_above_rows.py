"""The header of a table: above a rule, or above columns in line; what looks like one is none."""

from __future__ import annotations

import pytest

from compactor_cli.text.table_headers import tables

PSQL = " gate | level\n------+-------\n   77 | high\n   78 | low\n(2 rows)\n\nnext"
MARKDOWN = "Look:\n\n| Gate | Level |\n|:--|--:|\n| a | high |\n\nnext"
BOXED = "+------+-------+\n| gate | level |\n+------+-------+\n| a    | high  |\n+------+-------+"
PODS = "NAME      READY   AGE\ngate-1    1/2     31m\ngate-22   1/1     9d"
FRAME = "gate   n_h   mean_kwh\nLN-11467   8740     46.88\nLN-11042   8648     59.02"
RIGHT = "gate   n_h   max  mean\nLN-1  8740  85.1  46.8\nLN-2  8648  83.0  59.0"


@pytest.mark.parametrize(
    ("text", "header", "row"),
    [
        (PSQL, " gate | level", "   77 | high"),
        (MARKDOWN, "| Gate | Level |", "| a | high |"),
        (BOXED, "| gate | level |", "| a    | high  |"),
        (PODS, "NAME      READY   AGE", "gate-1    1/2     31m"),
        (RIGHT, "gate   n_h   max  mean", "LN-1  8740  85.1  46.8"),
    ],
)
def test_a_table_has_a_header_and_a_row(text: str, header: str, row: str) -> None:
    (table,) = tables(text)
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
    ],
)
def test_what_looks_like_a_table_is_none(text: str) -> None:
    assert tables(text) == []
