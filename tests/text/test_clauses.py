"""Sentences of what the user says end where one ends, and not behind an abbreviation."""

from __future__ import annotations

import pytest

from compactor_cli.text.clauses import split_clauses


@pytest.mark.parametrize(
    "text",
    [
        "Quote all prices excl. VAT.|Then send it.",
        "Use e.g. Foo or Bar.|Do it now.",
        "Nutze z. B. Müller oder bzw. Meier.|Dann los.",
        "т. е. Иванов отвечает.|Потом жди.",
        "See Dr. Smith first.|He knows.",
        "Wait ca. 20 minutes.|Then go on.",
        "Ask J. Smith.|Then Bob.",
        "Compare Paris vs. London.|Report both!|Then stop.",
    ],
)
def test_no_sentence_ends_behind_an_abbreviation(text: str) -> None:
    assert [clause.text for clause in split_clauses(text.replace("|", " "))] == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "I got it.|API is down.",
        "It works.|5 tests are left.",
        "Ship v1.2.|Then tag it.",
        "Is it so?|Yes.|Good.",
        "直してください。|テストも。",
    ],
)
def test_sentences_end_at_other_points(text: str) -> None:
    joined = text.replace("|", "" if "。" in text else " ")
    assert [clause.text for clause in split_clauses(joined)] == text.split("|")


def test_no_sentence_ends_behind_the_number_of_an_item() -> None:
    assert [c.text for c in split_clauses("1. Run it.\n 12. Then stop. Or not.")] == [
        "1. Run it.",
        "12. Then stop.",
        "Or not.",
    ]


ISSUE = "The parser drops the last field\n\nHi,\n\nI found this today.\n\n" + "It is odd. " * 40
HINTS = "HINTS:\n1. Look first.\n2. Then write.\n\n" + "\n\n".join(
    "Never run what you did not read." for _ in range(20)
)


@pytest.mark.parametrize(
    "lead", ["Fix this issue. Here is its text:\nISSUE:\n", "Fix the issue below.\n\n<issue>\n", "請修正：\n\n"]
)
def test_the_first_line_of_what_was_put_into_a_long_request_is_its_title(lead: str) -> None:
    titles = [clause.text for clause in split_clauses(lead + ISSUE + HINTS) if clause.place == "title"]
    assert titles == ["The parser drops the last field"]


def test_short_requests_and_those_that_put_nothing_in_have_no_title() -> None:
    for text in ("Fix this:\nThe parser drops fields.", "Fix it. " * 200, "Look:\n```\ncode\n```\n" + "Fix it. " * 200):
        assert all(clause.place != "title" for clause in split_clauses(text))
