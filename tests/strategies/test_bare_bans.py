"""What there is to be none of is told from what is missing."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.binding import is_directive, may_be_rule
from compactor_cli.text.clauses import Clause


def _orders(text: str) -> bool:
    return is_directive(Clause(text, 0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "No funciona por favor",
        "no entiendo por favor",
        "No puedo entrar, por favor",
        "sin embargo por favor",
        "Sin problemas por favor",
        "sin conexión por favor",
        "pas de soucis svp",
        "pas d'accès svp",
        "kein Internet bitte",
        "Keine Frage, bitte weiter",
        "No response ever",
        "No errors ever",
        "no tests failed please",
        "no tests failed, please",
        "no such file or directory please",
        "no module named foo please",
        "no space left on device please",
        "no fucking way please",
        "no luck, please help",
        "без понятия пожалуйста",
        "No response from servers, ever.",
    ],
)
def test_what_is_missing_and_what_was_never_seen_is_no_ban(text: str) -> None:
    assert not _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "never restart worker 3. why does worker 4 hang?",
        "never delete row 9. did tests pass?",
        "ändere nie Tabelle 5. warum hängt sie?",
    ],
)
def test_a_ban_that_is_taken_for_one_sentence_with_a_question_holds(text: str) -> None:
    clause = Clause(text, 0, len(text))
    assert is_directive(clause)
    assert may_be_rule(clause)


@pytest.mark.parametrize("text", ["Never use e.g. yarn?", "Should it never run with Node 5. x?", "Never? Not at all?"])
def test_a_question_forbids_nothing(text: str) -> None:
    assert not _orders(text)
