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
        "No tables, please.",
        "no nuts, please!",
        "No CSS frameworks please; also no jQuery",
        "no jargon please",
        "Please no comments.",
        "No force pushes, ever.",
        "The table is fine, but no comments please!",
        "Keine Tabellen, bitte.",
        "Gute Idee. Bitte keine Tabellen.",
        "ohne Tabellen bitte",
        "pas de tableaux s'il te plaît",
        "sem tabelas por favor",
        "Sin tablas, por favor.",
        "no refunds over 100 until I say so",
        "no merge without my ok",
        "no deploy to production without asking me",
        "no more than three sentences",
        "I don't want that word anywhere.",
        "Il ne faut jamais pousser sur main.",
        "これからは日本語で答えて",
    ],
)
def test_what_there_is_to_be_none_of_is_forbidden(text: str) -> None:
    assert _orders(text)


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
        "no luck without sudo",
        "no response until I restart",
        "no build starts without a token, that's the bug",
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
