"""Second tries of calls that failed, with what was wrong put right, and what is another act."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session

_GONE = "Error: locator.click: Timeout 5000ms exceeded."
_CARD = "Error: card belongs to another customer"
_EXISTS = "Error: a filter with these criteria exists"
_UPDATE = "UPDATE t SET a = 1 WHERE id = 'b7'"


def _open(session: Session) -> list[str]:
    return [text for text in session.texts() if text.startswith(("failed: ", "open error: "))]


@pytest.mark.parametrize(
    ("tool", "failed", "said", "other", "came", "is_over"),
    [
        ("browser_click", {"element": "Send form", "ref": "e1"}, _GONE, {"ref": "e3"}, "- status: sent", True),
        ("browser_click", {"element": "Send form", "ref": "e1"}, _GONE, {"element": "Cancel"}, "- button", False),
        ("browser_click", {"ref": "e1"}, _GONE, {"ref": "e3"}, "- button", False),
        ("block_card", {"card_id": "c-31", "reason": "lost"}, _CARD, {"reason": "other"}, "c-31 is blocked.", True),
        ("block_card", {"card_id": "c-31", "reason": "lost"}, _CARD, {"card_id": "c-32"}, "c-32 is blocked.", False),
        ("create_filter", {"name": "f-5", "action": "archive"}, _EXISTS, {"action": "label"}, "f-5 created.", True),
        ("create_filter", {"name": "f-5", "action": "archive"}, _EXISTS, {"name": "f-6"}, "f-6 created.", False),
        ("add_order", {"reference": "R-44", "to_iban": "FR1"}, "Error: IBAN wrong", {"to_iban": "FR2"}, "{}", True),
        ("add_order", {"reference": "R-44", "to_iban": "FR1"}, "Error: IBAN wrong", {"reference": "R-45"}, "{}", False),
        ("pay_bill", {"bill": "B-90", "amount": 3784}, "Error: balance too low", {"amount": 2784}, "{}", True),
        ("pay_bill", {"bill": "B-90", "amount": 3784}, "Error: balance too low", {"bill": "B-91"}, "{}", False),
        ("set_port", {"host": "h-1", "port": 8080}, "Error: denied", {"port": 9090}, "{}", False),
        ("add_user", {"team": "t-1", "name": "Ann"}, "Error: no such name", {"name": "Bo", "team": "t-2"}, "{}", False),
        ("run_sql", {"query": _UPDATE}, "Error: locked", {"query": f"SET ROLE etl; {_UPDATE}"}, "UPDATE 8", True),
        ("run_sql", {"query": _UPDATE}, "Error: locked", {"query": _UPDATE.replace("b7", "b8")}, "UPDATE 8", False),
    ],
)
def test_which_call_makes_up_for_one_that_failed(
    tool: str, failed: dict[str, Any], said: str, other: dict[str, Any], came: str, is_over: bool
) -> None:
    session = Session().calls(tool, said, **failed)
    assert len(_open(session)) == 1
    assert len(_open(session.calls(tool, came, **{**failed, **other}))) == (not is_over)
