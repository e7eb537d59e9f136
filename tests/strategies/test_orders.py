"""What orders or forbids is told from statements that have the same words."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.binding import is_directive
from compactor_cli.text.clauses import Clause


@pytest.mark.parametrize(
    "text",
    [
        "I can't find the log.",
        "I always forget the flag.",
        "She said she never saw it.",
        "This only happens on Windows.",
        "Files are always empty after the run.",
        "Test results are always empty.",
        "It must be noon by now.",
        "12 error(s): name is required",
        "error 403: access is forbidden",
        "Das ist nur ein Test.",
        "Es muss am Cache liegen.",
        "别人的代码",
        "Я никогда не видел этого.",
    ],
)
def test_statements_order_nothing(text: str) -> None:
    assert not is_directive(Clause(text, 0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Two rules: never suggest anything with nuts (my aunt is allergic) and give sums in pounds.",
        "please always give prices in pounds",
        "prices only in euros please",
        "I like long sentences, please don't chop them up.",
        "ok, go on. don't touch the dump",
        "Answer only in French.",
        "You must not raise the limit.",
        "Tests must not depend on their order.",
        "- **Never** commit secrets",
        "Schreib nie ohne Test.",
        "Der Ordner darf nicht geändert werden.",
        "Nunca borres los respaldos.",
        "Ne réserve jamais de vol avec une escale.",
        "Utilisez toujours le vouvoiement.",
        "Non usare mai il rosso.",
        "Никогда не используй красный.",
        "千万别改表结构。",
        "回填别动 updated_at。",
        "只能用标准库。",
        "必ず日本語で答えてください。",
    ],
)
def test_orders_and_bans(text: str) -> None:
    assert is_directive(Clause(text, 0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "btw don't use emojis in the titles.",
        "oh by the way, never call it a platform",
        "ach übrigens, nie vor acht anrufen",
        "por cierto nunca menciones el precio",
    ],
)
def test_what_is_said_by_the_way_orders_and_forbids_too(text: str) -> None:
    assert is_directive(Clause(text, 0, len(text)))


@pytest.mark.parametrize(
    "text",
    [
        "btw it never stops",
        "btw I don't know.",
        "by the way, we never saw it",
        "no problem please",
        "No worries ever.",
        "Please note",
        "no idea please help",
        "keine Ahnung, bitte weiter",
        "There are no tables here.",
        "No module of that name",
        "no sign of it anywhere",
        "No, please do.",
    ],
)
def test_what_is_not_there_is_no_ban(text: str) -> None:
    assert not is_directive(Clause(text, 0, len(text)))
