"""What was done and is no more, or is so no longer."""

from __future__ import annotations

import pytest

from tests.features.working import Session


def _turned(session: Session, action: str, said: str, door: str = "lock.door_4") -> Session:
    return session.calls("lock_control", said, entity_id=door, action=action)


@pytest.mark.parametrize("said", ["{0} {1}.", '{{"entity_id": "{0}", "state": "{1}"}}'])
def test_of_what_an_argument_turns_on_and_off_the_newest_is_told(said: str) -> None:
    session = _turned(Session(), "lock", said.format("lock.door_4", "locked"))
    assert session.texts("effect") == ["lock_control lock lock.door_4"]
    _turned(session, "unlock", said.format("lock.door_4", "unlocked"))
    assert session.texts("effect") == ["lock_control unlock lock.door_4"]
    _turned(session, "lock", said.format("lock.door_5", "locked"), "lock.door_5")
    assert len(session.texts("effect")) == 2


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("unblock_card", "Error: not allowed."),
        ("unblock_card", '{"status": "pending_approval"}'),
        ("unlock_phone", "Phone of card-31 is active again."),
        ("get_card", "Card card-31 is active again."),
    ],
)
def test_nothing_else_does_so(tool: str, said: str) -> None:
    session = Session().calls("block_card", "Card card-31 is now blocked.", card_id="card-31")
    assert "block_card card-31" in session.calls(tool, said, card_id="card-31").texts("effect")
