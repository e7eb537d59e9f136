"""Rules without "never" and "always": what holds from now on, what may not be, and verbs behind a "not"."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.binding import orders
from compactor_cli.text.clauses import split_clauses


def _orders(text: str) -> bool:
    return any(map(orders, split_clauses(text)))


@pytest.mark.parametrize(
    "text",
    [
        "From now on, tabs.",
        "from now on use the second gauge for retries",
        "ok and from now on the deadline is Friday",
        "let's keep the workers at 2 from now on",
        "for the rest of this session keep answers short",
        "until further notice the deploys go through Ana",
        "In future, refund first and then write.",
        "Please ask me in future.",
        "Ab sofort bitte vor jedem Push fragen.",
        "künftig die Tests zuerst",
        "a partir de ahora todo en euros",
        "désormais tu réponds en français",
        "d'ora in poi rispondi in italiano",
        "а впредь пиши по-русски",
        "从现在起只用中文",
        "今後は日本語で答えて",
    ],
)
def test_what_holds_from_now_on_is_a_rule(text: str) -> None:
    assert _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "from now on it crashes",
        "It works from now on.",
        "Is it fixed from now on?",
        "In the future we may add X.",
        "in future releases the flag is gone",
        "In future, releases will be signed.",
        "in Zukunft wollen wir das ändern",
        "That is something for the rest of the gang.",
        "ab jetzt läuft alles",
        "désormais tout marche",
        "nothing from now on",
    ],
)
def test_how_things_are_from_now_on_is_none(text: str) -> None:
    assert not _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "no job starts on a target without pk",
        "no job may start on a target without pk",
        "no merge without review",
        "no refunds over 100 until I say so",
        "no more than three sentences",
        "no te fíes del banco",
        "no pidas los 18,15",
        "não apague as linhas",
        "non toccare la tabella",
        "ne supprimez rien",
        "ne touche pas à la base",
        "Ändere die Tabelle nicht.",
        "bitte lösch keine Zeilen",
    ],
)
def test_what_may_not_be_and_not_be_done_is_a_ban(text: str) -> None:
    assert _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "no luck without sudo",
        "no output without -v",
        "no response until I restart",
        "no files were found without a header",
        "No more than two of them failed.",
        "no more than 3 were found",
        "no changes to the files",
        "no changes in legal cases",
        "No tienes acceso a los logs",
        "no funciona el servidor",
        "no las primeras filas, las otras",
        "não funciona o botão",
        "non avere accesso è strano",
        "non funziona niente",
        "ne marche pas",
        "ne trouve pas le fichier",
        "das geht nicht",
        "Ändert nichts.",
        "Mach ich nicht.",
    ],
)
def test_what_does_not_work_or_is_not_there_is_none(text: str) -> None:
    assert not _orders(text)
