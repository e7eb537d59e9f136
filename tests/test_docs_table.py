"""The table of docs/algorithm.md that says where each part of the seeds is implemented: every test that it names
exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.builders import ROOT

TEXT = (ROOT / "docs" / "algorithm.md").read_text(encoding="utf-8").partition("## What the seeds ask for")[2]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("| 0")]
NOT_HERE = ("not here: there is no agent loop",)
NAMED = sorted({name for row in ROWS for name in re.findall(r"`([^`]+)`", row[-1])})


@cache
def names_in(path: Path) -> set[str]:
    """Return the names of the test functions in a file, without running it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_the_table_has_rows_of_every_seed() -> None:
    assert {row[0] for row in ROWS} == {"000", "001", "002", "003", "004"}
    assert all(len(row) == 4 for row in ROWS)


def test_no_part_stands_twice() -> None:
    parts = [(row[0], row[1]) for row in ROWS]
    assert len(parts) == len(set(parts))


def test_every_acceptance_criterion_and_every_edge_case_has_a_row() -> None:
    parts = " ".join(row[1] for row in ROWS)
    criteria = {1: 6, 2: 5, 3: 6, 4: 4}
    assert all(f"AC{kind}.{n}:" in parts for kind, most in criteria.items() for n in range(1, most + 1))
    for case in ("single huge tool result", "all messages are recent", "summary generation fails"):
        assert f"edge case: {case}" in parts
    for case in ("orphaned tool message", "empty conversation", "very short session"):
        assert f"edge case: {case}" in parts


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:40]}")
def test_only_what_is_not_here_has_no_test(row: list[str]) -> None:
    assert (row[3] == "—") is (row[2] in NOT_HERE)


@pytest.mark.parametrize("name", NAMED)
def test_every_test_that_is_named_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert (ROOT / "tests" / path).is_file()
    assert function in names_in(ROOT / "tests" / path)
