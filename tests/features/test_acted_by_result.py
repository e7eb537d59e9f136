"""Acts of tools whose verbs nobody knows: their results, or what the user agreed to, say that they did something."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.features.working import Session

_LINE = {"line": "0170555011"}


def _told(tool: str, said: object, *, question: str = "", before: str = "", **arguments: Any) -> list[str]:
    session = Session("I have a problem.")
    if question:
        session.answers(question).asks("yes")
    if before:
        session.runs(before, "ok")
    return session.calls(tool, said if isinstance(said, str) else json.dumps(said), **arguments).texts()


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "told"),
    [
        (
            "lift_throttle",
            _LINE,
            {**_LINE, "throttle": "lifted", "until": "2025-09-21T23:59:59"},
            "lift_throttle (line 0170555011)",
        ),
        ("block_line", _LINE, {"blocked": True}, "block_line 0170555011"),
        ("unlock_account", {"account_id": "A-1199"}, "Account A-1199 has been unlocked.", "unlock_account A-1199"),
        ("unlockAccount", {"accountId": "A-1199"}, {"status": "account_unlocked"}, "unlockAccount A-1199"),
        (
            "waive_fee",
            {"invoice": "INV-2231", "fee": 5.5},
            {"fee_waived": True},
            "waive_fee (fee 5.5, invoice INV-2231)",
        ),
        ("swap_sim", _LINE, {"new_sim": "8949-1", "status": "swapped"}, "swap_sim 8949-1 (line 0170555011)"),
        ("release_hold", {"hold_id": "H-2219"}, "Hold H-2219 released", "release_hold H-2219"),
        ("kesta_lift_throttle", _LINE, {"throttle": "lifted"}, "kesta_lift_throttle (line 0170555011)"),
        ("dispatch_technician", _LINE, {"technician": "dispatched"}, "dispatch_technician (line 0170555011)"),
        ("tag_parcel", {"parcel": "PX-9911"}, {"state": "tagged"}, "tag_parcel PX-9911"),
    ],
)
def test_a_result_that_has_the_past_form_of_the_verb_says_that_it_was_done(
    tool: str, arguments: dict[str, Any], said: object, told: str
) -> None:
    assert _told(tool, said, **arguments) == [told]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("convert_currency", {"amount": 1000, "to": "USD"}, {"status": "converted"}),
        ("quote_stay", {"from": "2025-09-21", "until": "2025-09-24"}, {"status": "quoted"}),
        ("track_parcel", {"number": "PX-11992"}, {"status": "tracked"}),
        ("list_blocked", _LINE, {"listed": True}),
        ("block_line", _LINE, {"message": "line could not be blocked"}),
        ("block_line", _LINE, {"blocked": False}),
        ("block_line", _LINE, "Line is already blocked"),
        ("block_line", _LINE, "Line will be blocked after a review"),
        ("block_line", _LINE, {"blocked_by": "partner"}),
        ("block_line", _LINE, {"history": "blocked 2024; " * 40}),
        ("block_line", {**_LINE, "dry_run": True}, {"blocked": True}),
        ("render_chart", {"id": "c-1199"}, {"status": "rendered"}),
        ("click_element", {"selector": "btn-1199"}, {"clicked": True}),
        ("run_diagnostics", _LINE, {"status": "ok"}),
    ],
)
def test_what_only_looks_or_did_nothing_is_not_told(tool: str, arguments: dict[str, Any], said: object) -> None:
    assert _told(tool, said, **arguments) == []


_REPLACED = {"card": "CARD-9918", "delivery": "2025-09-30"}


@pytest.mark.parametrize(
    ("question", "said", "is_told"),
    [
        ("I can replace the card CARD-9918. Do you agree (yes/no)?", _REPLACED, True),
        ("Replacement of cards is free. Shall I?", _REPLACED, True),
        ("Shall I block the card?", _REPLACED, False),
        ("I'll replace the card.", _REPLACED, False),
        ("Shall I replace the card?", [_REPLACED], False),
        ("Shall I replace the card?", {"cards": [_REPLACED]}, False),
        ("Shall I replace the card?", "Card CARD-9918, see below", False),
        ("", _REPLACED, False),
    ],
)
def test_a_flat_answer_to_what_the_user_agreed_to_says_so_too(question: str, said: object, is_told: bool) -> None:
    assert _told("replace_card", said, question=question, card="CARD-9918") == ["replace_card CARD-9918"] * is_told


def test_what_was_agreed_to_holds_until_the_agent_speaks_again() -> None:
    session = Session().answers("Shall I replace the card?").asks("yes").answers("Done. Goodbye.")
    assert session.calls("replace_card", json.dumps(_REPLACED), card="CARD-9918").texts() == []


@pytest.mark.parametrize(
    ("arguments", "is_told"),
    [({"name": "imdb-1199"}, False), ({"issue_id": "4418"}, True), ({"cell_id": "c-9"}, False)],
)
def test_beside_commands_an_argument_has_to_be_an_identity(arguments: dict[str, str], is_told: bool) -> None:
    assert bool(_told("resolve_thing", "resolved", before="ls -la", **arguments)) == is_told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"line": "0170555011", "plan": "L"}, ["change_plan (plan L, line 0170555011)"]),
        ({"customer": "C-5582", "plan": "L"}, ["change_plan (plan L, customer C-5582)"]),
        ({"plan": [{"step": "Write tests", "status": "pending"}]}, ["[ ] Write tests"]),
        ({"title": "Trip", "due": "2025-05-05"}, []),
        ({"explanation": "step 1234 is done"}, []),
    ],
)
def test_the_plan_of_a_contract_is_none_of_the_session(arguments: dict[str, Any], told: list[str]) -> None:
    assert _told("change_plan", {"effective": "2025-09-22"}, **arguments) == told
