"""Shortened outputs: no mark stands for less than it costs."""

from __future__ import annotations

from compactor_cli.text.shorten import shorten_output

_BODY = [f"changed: [host-{n}] and all of its {n} files were put in place" for n in range(12)]
_END = [f"Finished the part {n} of all the parts of the harbour" for n in range(12)]


def _count(text: str) -> int:
    return len(text) // 4


def _short(lines: list[str], limit: int) -> str:
    text = "\n".join(lines)
    return shorten_output(text, _count(text), limit, _count, True).text


def test_a_blank_line_between_kept_lines_is_no_gap() -> None:
    short = _short([*_BODY, "", "Error: the state is locked", "", "Error: no lock", "", *_END], 130)
    assert "Error: the state is locked\n\nError: no lock" in short


def test_a_line_that_is_shorter_than_a_mark_stays() -> None:
    short = _short([*_BODY, "Error: the state is locked", "ok: [a]", "Error: no lock", *_END], 130)
    assert "Error: the state is locked\nok: [a]\nError: no lock" in short
    longer = _short([*_BODY, "Error: the state is locked", _BODY[3], "Error: no lock", *_END], 130)
    assert "Error: the state is locked\n[… 1 line left out]\nError: no lock" in longer
