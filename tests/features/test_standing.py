"""Of acts that leave a thing closed, cancelled or open again, the state tells the newest."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.standing import NewestActs, Standing
from tests.features.working import Session


def acts(*calls):
    """Texts of the state behind calls of tools, each with its arguments, and what it said where it said more."""
    session = Session()
    for tool, arguments, *said in calls:
        session.calls(tool, *(said or ['{"ok": true}']), **arguments)
    return session.texts()[::-1]


CLOSE = ("ticket_close", {"id": 88148})


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (("ticket_reopen", {"id": 88148}), "ticket_reopen 88148"),
        (("ticket_update", {"id": 88148, "status": "open"}), "ticket_update 88148 (status open)"),
        (("ticket_delete", {"id": 88148}), None),
        (("reopen_ticket", {"ticket_id": 88148}), "reopen_ticket 88148"),
        (
            ("ticket_reopen", {"id": 88148, "reason": "the bank, not we, pays it"}),
            "ticket_reopen 88148 (reason the bank, not we, pays it)",
        ),
    ],
)
def test_of_one_thing_the_newest_state_is_told(later, told):
    texts = acts(CLOSE, later)
    assert texts == [told] if told else texts[0] == "ticket_close 88148"
    assert acts(CLOSE, later, CLOSE)[-1] == "ticket_close 88148"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (CLOSE, ("ticket_reopen", {"id": 88149})),  # another thing
        (CLOSE, ("order_reopen", {"id": 88148})),  # another kind of thing
        (CLOSE, ("ticket_update", {"id": 88148, "priority": "P1"})),  # no state
        (CLOSE, ("ticket_assign", {"id": 88148, "to": "lee"})),
        (CLOSE, ("delete_comment", {"ticket_id": 88148, "comment_id": 99120})),  # a part of it
        (("cancel_order", {"order_id": "A1234", "item": "lamp"}), ("order_cancel", {"order_id": "A1234"})),
        (("cancel_order", {"order_id": "A1234"}), ("cancel_order", {"order_id": "A1234", "item": "lamp"})),
        (("close_issue", {"issue_number": 7}), ("reopen_issue", {"issue_number": 7})),  # in any repository
        (("close_issue", {"number": 7, "repo": "one"}), ("reopen_issue", {"number": 7, "repo": "two"})),
        (("ticket_update", {"id": 88148, "status": "waiting", "note": "called"}), ("ticket_close", {"id": 88148})),
        (("pause_order", {"order_id": "A1234"}), ("delete_order_note", {"order_id": "A1234"})),
        (("enable_flag", {"id": "flag-12"}), ("publish_flag", {"id": "flag-12"})),  # another aspect
        (CLOSE, ("ticket_reopen", {"comment_id": 88148})),
        (CLOSE, ("zendesk_ticket_reopen", {"id": 88148})),  # maybe of another service
        (CLOSE, ("ticket_update", {"id": 88148, "status": "open", "priority": "P1"})),  # it says more
        (("approve_invoice", {"amount": "1200"}), ("reject_timesheet", {"amount": "1200"})),  # no identity
        (("close_pr", {"pr": "AB-12"}), ("update_deployment", {"pr": "AB-12", "state": "success"})),
        (("close_pr", {"pr": "AB-12"}), ("update_deployment", {"pr": "AB-12", "state": "open"})),
        (
            ("subscribe_list", {"list_id": "L-123", "email": "a@b.c"}),
            ("unsubscribe_list", {"list_id": "L-123", "email": "x@b.c"}),
        ),
        (("enable_feature", {"id": "F-12", "name": "prod"}), ("disable_feature", {"id": "F-12", "name": "staging"})),
        (("order_cancel", {"id": "A-1201"}), ("order_update", {"id": "A-1201", "status": "refunded"})),
        (("order_cancel", {"id": "A-1201"}), ("order_update", {"id": "A-1201", "status": "paused"})),
    ],
)
def test_other_acts_leave_it_as_it_is(earlier, later):
    first = acts(earlier)
    assert acts(earlier, later)[: len(first)] == first
    assert len(acts(earlier, later)) >= len(acts(later))


def test_what_a_thing_is_called_may_be_a_verb_elsewhere():
    assert acts(("order_cancel", {"id": "A-1201"}), ("order_reopen", {"id": "A-1201"})) == ["order_reopen A-1201"]
    assert acts(("cancel_order", {"id": "A-1201"}), ("reopen_order", {"id": "A-1201"})) == ["reopen_order A-1201"]


@pytest.mark.parametrize(
    "said",
    [
        *('{"status": "unchanged"}', '{"status": "pending_approval"}', '{"ticket": {"state": "closed"}}', "closed"),
        *('{"outcome": "rejected"}', "Ticket 88148 is closed.", "Request submitted", "x" * 3_000),
    ],
)
def test_nothing_is_overtaken_where_the_result_says_something_else(said):
    assert "ticket_close 88148" in acts(CLOSE, ("ticket_reopen", {"id": 88148}, said))
    assert acts(CLOSE, ("ticket_reopen", {"id": 88148}, '{"ticket": {"state": "open"}}')) == ["ticket_reopen 88148"]


def test_many_acts_on_one_thing_cost_what_they_are():
    newest = NewestActs()
    stands = Standing(("88148", "ticket", "{}"), frozenset((0,)), took_place=False)
    for number in range(100):
        assert not [*newest.record_act(f"ticket_close 88148 ({number})", stands)]
    assert (
        len([*newest.record_act("ticket_reopen 88148", Standing(stands.thing, stands.aspects, took_place=True))]) == 20
    )


@pytest.mark.parametrize("said", ['{"state": "moving"}', '{"status": "unchanged"}', "5"])
def test_a_tool_of_several_uses_that_names_nothing_has_not_acted(said):
    assert acts(("crm_lookup", {"ticket": 88148, "action": "reopen"}, said)) == []
