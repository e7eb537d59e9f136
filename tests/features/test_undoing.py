"""What was done and taken back is told once, as what holds now."""

from __future__ import annotations

import pytest

from tests.features.working import Session


def acts(*calls):
    """Texts of the state behind calls of tools, each with its arguments, and what it said where it said more."""
    session = Session()
    for tool, arguments, *said in calls:
        session.calls(tool, *(said or ['{"ok": true}']), **arguments)
    return session.texts()[::-1]


def test_a_commit_that_was_reverted_is_told_with_the_revert():
    session = Session().runs("git commit -m 'Add b'", "[main 2e67f6c] Add b")
    session.runs("git commit -m 'Add c'", "[main 3e67f6c] Add c")
    before = len(session.records)
    session.runs("git revert --no-edit 2e67f6c", '[main 99aaf6c] Revert "Add b"')
    told = ['git revert --no-edit 2e67f6c ("Add b")', 'git commit "Add c" (3e67f6c)']
    assert session.texts() == told
    session.records = session.records[:before]
    session.runs("git revert --no-edit HEAD~1", '[main 99aaf6c] Revert "Add b"')
    assert session.texts()[0] == 'git revert --no-edit HEAD~1 ("Add b")'
    session.runs("git revert -n HEAD~2", "")
    assert len(session.texts()) == 3


def test_what_waits_is_over_once_another_act_names_the_same_thing():
    session = Session().calls("transfer_funds", '{"status": "pending_approval"}', transfer="TR-1001", to="AC-99121")
    assert session.texts("effect") == ["waits: transfer_funds TR-1001 AC-99121: pending_approval"]
    session.calls("approve_transfer", '{"status": "approved"}', transfer="TR-1001")
    assert session.texts("effect") == ["approve_transfer TR-1001"]


@pytest.mark.parametrize(
    "said",
    [
        '{"order_id": "O-5512", "coupon_applied": false}',
        '{"order_id": "O-5512", "shipping_status": "not_shipped"}',
        '{"order_id": "O-5512", "gate_code": 412}',
        "450 EUR charged, order O-5512 placed.",
        "Non-refundable fare booked, order O-5512.",
        "Expired offer replaced, order O-5512 placed.",
    ],
)
def test_how_a_thing_stands_is_no_failure_of_the_act(said):
    (text,) = acts(("place_order", {"customer": "C-881"}, said))
    assert text.startswith("place_order")
