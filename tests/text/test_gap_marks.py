"""Marks of what an earlier round cut out of a text are no sentences of it."""

from __future__ import annotations

import pytest

from compactor_cli.summary_text.excerpts import LEGEND
from compactor_cli.summary_text.reading import readable
from compactor_cli.text.clauses import split_clauses

_MARK = "[… 152 characters left out · ctx_e8c1eb37]"


def _texts(text: str) -> list[str]:
    clauses = split_clauses(text)
    assert all(text[clause.start : clause.end] == clause.text for clause in clauses)
    return [clause.text for clause in clauses]


def test_a_mark_is_no_sentence_and_stands_in_none() -> None:
    assert _texts(f"The hall is booked. {_MARK} Ask Mia about the rooms.") == [
        "The hall is booked.",
        "Ask Mia about the rooms.",
    ]
    assert _texts(f"The hall is booked\n[… 9 lines left out in all · ctx_da6ebc26]\nAsk Mia.\n{_MARK}") == [
        "The hall is booked",
        "Ask Mia.",
    ]
    assert "".join(_texts(_MARK)).replace(" ", "") == _MARK.replace(" ", "")


@pytest.mark.parametrize(
    "said",
    [
        "I have left out 152 characters.",
        "[152 characters left out]",
        "[… left out]",
        "[… many characters left out]",
        "[… 152 words left out]",
        "… 152 characters left out",
        "[... 152 characters left out]",
        "[… 152 characters left out · see page 3]",
        "(… 152 characters left out)",
        "[… 152 characters left out",
    ],
)
def test_what_somebody_says_of_such_is_a_sentence(said: str) -> None:
    assert "".join(_texts(f"{said} Then Mia came.")).replace(" ", "") == f"{said} Then Mia came.".replace(" ", "")


def test_how_to_read_the_lines_is_no_line() -> None:
    head = "## Session Summary of #0-5 (ctx_0a1b2c3d)\n"
    nested = f"earlier summary: earlier summary: {LEGEND}"
    text = readable(f"{head}{LEGEND}\n#1 user: Go on.\n{nested}\n#2 user: {LEGEND} What is that?")
    assert text.split() == f"#1 user: Go on. #2 user: {LEGEND} What is that?".split()
