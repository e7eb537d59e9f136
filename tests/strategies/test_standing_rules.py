"""Rules without "never" and "always": what is to be done from now on, and what may not be until somebody says so."""

from __future__ import annotations

import time

import pytest

from compactor_cli.strategies.shared.binding import is_directive
from compactor_cli.strategies.shared.orders_and_bans import is_standing_order
from compactor_cli.text.clauses import split_clauses


def _orders(text: str) -> bool:
    return any(map(is_directive, split_clauses(text)))


@pytest.mark.parametrize(
    "text",
    [
        "from now on use the second gauge for retries",
        "From now on, write the tests first.",
        "From now on you answer in short sentences.",
        "let's keep the workers at 2 from now on",
        "keep it from now on at 2",
        "for the rest of this session keep answers short",
        "From now on, if a gauge fails, stop.",
        "From now on no tables.",
        "Ab sofort bitte vor jedem Push fragen.",
        "a partir de ahora usa euros",
        "从现在起只用中文",
        "今後は日本語で答えて",
    ],
)
def test_what_is_to_be_done_from_now_on_is_a_rule(text: str) -> None:
    assert _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "from now on it crashes",
        "It works from now on.",
        "Use it, it works from now on.",
        "Is it fixed from now on?",
        "from now on the build takes 12 minutes",
        "from now on build 7 takes 12 minutes",
        "from now on test runs are slow",
        "we can from now on use the second gauge",
        "Since 12:00 and from now on the API returns 403.",
        "Sales fell from this point on.",
        "from this point on the logs show only timeouts",
        "For the rest of the day the server was down.",
        "The model answered well for the rest of the session.",
        "Please tell me what happens from now on",
        "In future, prices rise.",
        "In future, ok.",
        "Please tell me what happens in future",
        "in future releases the flag is gone",
        "in Zukunft wollen wir das ändern",
        "That is something for the rest of the gang.",
        "ab sofort ist das Büro zu",
        "zukünftig wird es teurer",
        "désormais la page charge",
        "впредь всё работает",
        "今后会更好",
        "今後の予定を教えて",
        "これからは便利ですね",
        "nothing from now on",
    ],
)
def test_how_things_are_from_now_on_is_none(text: str) -> None:
    assert not _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "no refunds over 100 until I say so",
        "no merge without my ok",
        "no deploy to production without asking me",
        "no more than three sentences",
    ],
)
def test_what_may_not_be_until_somebody_says_so_is_a_ban(text: str) -> None:
    assert _orders(text)


@pytest.mark.parametrize(
    "text",
    [
        "no luck without sudo",
        "no response until I restart",
        "no tests run until I push",
        "no build starts without a token, that's the bug",
        "no user gets in without a login",
        "no job may fail",
        "no answer yet until I hear from Bob",
        "No more than two of them failed.",
        "No more than 3 rows are in the table",
        "No more than two weeks remain",
        "no changes to the files",
        "No tienes acceso a los logs",
        "no comes el pan",
        "no las primeras filas, las otras",
        "não funciona o botão",
        "non avere accesso è strano",
        "ne change rien au problème",
        "das geht nicht",
        "Buch kein Bestand",
    ],
)
def test_what_does_not_work_or_is_not_there_is_none(text: str) -> None:
    assert not _orders(text)


@pytest.mark.parametrize("words", ["from now on it ", "no job a-b ", "please ", "künftig "])
def test_a_long_text_is_read_once(words: str) -> None:
    began = time.process_time()
    is_standing_order(words * 4_000)
    assert time.process_time() - began < 1
