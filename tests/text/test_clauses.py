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
