"""Shortened outputs: what is told of an error stays with it, and no mark stands for less than it costs."""

from __future__ import annotations

import pytest

from compactor_cli.text.shorten import shorten_output

_BODY = [f"changed: [host-{n}] and all of its {n} files were put in place" for n in range(12)]
_BLOCK = ["Lock:", "  Path: a/long/way/to/the/state/of/the/harbour", "  Who:  ann@quay", "  What: apply"]
_END = [f"Finished the part {n} of all the parts of the harbour" for n in range(12)]


def _count(text: str) -> int:
    return len(text) // 4


def _short(lines: list[str], limit: int) -> str:
    text = "\n".join(lines)
    return shorten_output(text, _count(text), limit, _count, True).text


def test_what_is_told_below_an_error_that_begins_a_paragraph_stays_with_it() -> None:
    short = _short([*_BODY, "", "Error: the state is locked", *_BLOCK, "", *_END], 160)
    assert "\n".join(["Error: the state is locked", *_BLOCK]) in short
    assert "left out" in short


@pytest.mark.parametrize(
    "lines",
    [
        [*_BODY, "Error: the state is locked", *_BLOCK, *_END],
        [*_BODY, "", "Error: the state is locked", "", *_BLOCK, *_END],
        [*_BODY, "", "Error: the state is locked", "│ ", *_BLOCK, *_END],
    ],
    ids=["log", "blank line", "empty box"],
)
def test_what_stands_apart_from_an_error_is_not_kept_with_it(lines: list[str]) -> None:
    assert "Who:  ann@quay" not in _short(lines, 130)


def test_a_blank_line_between_kept_lines_is_no_gap() -> None:
    short = _short([*_BODY, "", "Error: the state is locked", "", "Error: no lock", "", *_END], 130)
    assert "Error: the state is locked\n\nError: no lock" in short


def test_a_line_that_is_shorter_than_a_mark_stays() -> None:
    short = _short([*_BODY, "Error: the state is locked", "ok: [a]", "Error: no lock", *_END], 130)
    assert "Error: the state is locked\nok: [a]\nError: no lock" in short
    longer = _short([*_BODY, "Error: the state is locked", _BODY[3], "Error: no lock", *_END], 130)
    assert "Error: the state is locked\n[… 1 line left out]\nError: no lock" in longer
