"""Acts that were only submitted: somebody still has to agree to them."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.result_outcomes import result_outcome
from tests.features.working import Session

_SUBMITTED = "Request accepted, awaiting_confirmation: the recipient has to confirm first."
_ANSWERED = '{"status": "queued", "message": "queued for manual review", "request": "rq7711"}'


def _waits(session: Session) -> bool:
    texts = session.texts("effect")
    return len(texts) == 1 and texts[0].startswith("waits: ")


@pytest.mark.parametrize("said", [_SUBMITTED, _ANSWERED, '{"status": "pending_approval"}'])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("issue_refund", {"order_id": "#W1", "amount": 4}),
        ("create_dashboard", {"slug": "dash-1", "charts": ["queue", "orders"]}),
        ("cancel_pending_order", {"order_id": "#W1"}),
        ("lock_control", {"entity_id": "lock.door_4", "action": "lock"}),
        ("block_card", {"card_id": "card-3456", "reason": "fraud"}),
        ("export_table", {"table": "tokens", "path": "exports/a.csv"}),
        ("run_sql", {"query": "UPDATE orders SET state = 'x' WHERE id = 5"}),
    ],
)
def test_what_was_submitted_waits_whatever_the_tool_is_called(
    tool: str, arguments: dict[str, object], said: str
) -> None:
    assert _waits(Session().calls(tool, said, **arguments))


@pytest.mark.parametrize(
    ("tool", "said", "given"),
    [
        ("cancel_pending_order", '{"status": "cancelled"}', ()),
        ("modify_pending_order", '{"status": "pending"}', ()),
        ("request_approval", '{"status": "pending_approval"}', ()),
        ("rename_column", "Renamed column pending_approval to state.", ()),
        ("send_mail", "Mail to pending_approval list sent.", ()),
        ("create_table", "Created table failed_jobs.", ()),
        ("export_table", "Exported queue to out.csv", ("queue",)),
        ("move_item", "Moved to rejected_items.", ()),
        ("drain_queue", "Jobs of queued_jobs drained.", ("queued_jobs",)),
        ("block_card", "カードを停止しました", ("カード",)),
    ],
)
def test_what_was_done_to_something_of_such_a_name_does_not(tool: str, said: str, given: tuple[str, ...]) -> None:
    assert result_outcome(said, tool, given).kind == "done"


@pytest.mark.parametrize(
    ("tool", "said", "arguments"),
    [
        ("run_build", '{"status": "queued", "job": 5}', {"target": "web"}),
        ("start_export", "Export is in the queue.", {"table": "orders"}),
        ("load_reviews", '{"status": "pending review", "items": []}', {"product": "p1"}),
        ("print_label", '{"state": "processing"}', {"label": "l1"}),
    ],
)
def test_work_that_goes_on_is_not_told(tool: str, said: str, arguments: dict[str, str]) -> None:
    assert Session().calls(tool, said, **arguments).texts("effect") == []
