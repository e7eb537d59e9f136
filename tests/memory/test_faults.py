"""Why a resolved statement is not taken, in the words that a model and people read."""

from __future__ import annotations

import pytest

from compactor_cli.memory.decontextualize import refers_back, resolution_fault

BEFORE = "The importer reads src/importer.py.\nDana wrote it for PostgreSQL."


@pytest.mark.parametrize(
    ("resolved", "original", "why"),
    [
        ("", "It fails on Windows.", "the statement is empty"),
        ("The importer\nfails.", "It fails on Windows.", "the statement has more than one line"),
        ("The importer " + "reads " * 60, "It fails.", "the statement is far longer than the original"),
        ("Importer.", "It fails on Windows each time.", "less than half of the statement is left"),
        ("It fails on Windows.", "It fails on Windows.", "the statement still begins with a pronoun"),
        ("The importer fails there.", "It fails on Windows.", "'Windows' of the original is missing"),
        (
            "The importer reads all of these files.",
            "It reads 1, 22, 333, 4444 and 55555.",
            "'1', '22', '333' and 2 more of the original is missing",
        ),
        ("The importer reads the files.", "It reads 1, 22 and 333.", "'1', '22', '333' of the original is missing"),
        ("The importer must be pushed.", "It must not be pushed.", "a negation of the original is missing"),
        (
            "The importer reads many rows.",
            "It breaks whenever somebody pushes.",
            "it says something else than the original",
        ),
        (
            "The importer reads 14 files.",
            "It reads files.",
            "'14' occurs neither in the original nor in the messages before it",
        ),
        ("The importer never reads files.", "It reads files.", "a negation was added"),
        (
            "Secret tokens leaked from Windows.",
            "It leaked from Windows.",
            "",
        ),
        (
            "Hidden secret tokens leaked everywhere from Windows.",
            "It leaked from Windows.",
            "most of its words occur neither in the original nor in the messages before it",
        ),
        ("The importer fails on Windows.", "It fails on Windows.", ""),
        ("The user wants importer files.", "I want importer files.", ""),
    ],
)
def test_why_a_statement_is_not_taken(resolved: str, original: str, why: str) -> None:
    assert resolution_fault(resolved, original, BEFORE) == why


def test_a_long_fact_is_named_by_its_first_40_characters() -> None:
    long = "src/" + "x" * 44 + ".py"
    why = resolution_fault("The importer breaks the file, whenever it is run.", f"It breaks {long}.", "")
    assert why == f"{long[:40]!r} of the original is missing"


def test_a_word_that_begins_a_line_is_no_name() -> None:
    assert (
        resolution_fault("The importer fails on each run.", "Sadly it fails on each run.\nTruly it fails.", BEFORE)
        == ""
    )


@pytest.mark.parametrize(
    "text",
    [
        "As before, the importer reads files.",
        "The importer works as discussed.",
        "The importer works as you did.",
        "We just did the importer.",
        "Nobody is doing so.",
        "Do so in the importer.",
    ],
)
def test_what_refers_to_something_said_before(text: str) -> None:
    assert refers_back(text)
