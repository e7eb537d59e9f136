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


def test_a_tool_with_un_before_another_acts_as_that_one_does() -> None:
    session = Session().calls("block_card", "Card card-31 is now blocked.", card_id="card-31")
    assert session.texts("effect") == ["block_card card-31"]
    session.calls("unblock_card", "Card card-31 is active again.", card_id="card-31")
    assert session.texts("effect") == ["unblock_card card-31"]


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


@pytest.mark.parametrize("deletes", ["delete_file", "rm"])
@pytest.mark.parametrize(
    ("tool", "said", "stays"),
    [("export_table", "Wrote 9 rows to out/a.csv", False), ("send_report", "Sent.", True)],
)
def test_of_a_file_that_is_deleted_nothing_is_left_that_made_it(
    tool: str, said: str, stays: bool, deletes: str
) -> None:
    session = Session().calls(tool, said, table="t", path="out/a.csv")
    assert len(session.texts("effect")) == 1
    session = session.runs("rm out/a.csv") if deletes == "rm" else session.calls(deletes, "Deleted", path="out/a.csv")
    assert len(session.texts("effect")) == stays
    assert "deleted out/a.csv" in session.texts("file")


@pytest.mark.parametrize(
    ("kind", "closes", "left"),
    [
        ("pr", "gh pr close 77", ['gh pr close 77 "Fix (a)"']),
        ("pr", "gh pr close 7", ["gh pr close 7", 'gh pr create "Fix (a)" → https://github.com/a/b/pull/77']),
        ("issue", "gh issue close 77", ["gh issue close 77", 'gh issue create "Fix (a)" → …']),
    ],
)
def test_a_pull_request_that_is_closed_is_told_with_what_opened_it(kind: str, closes: str, left: list[str]) -> None:
    path = "pull" if kind == "pr" else "issues"
    session = Session().runs(f'gh {kind} create --title "Fix (a)"', f"https://github.com/a/b/{path}/77")
    texts = session.runs(closes, "✓ Closed").texts("effect")
    assert [text.replace("https://github.com/a/b/issues/77", "…") for text in texts] == left
