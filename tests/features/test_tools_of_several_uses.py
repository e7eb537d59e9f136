"""Tools that are told by an argument what to do, and what they did to one thing after the other."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from compactor_cli.features.work.state import session_state
from compactor_cli.summary_text.state_block import state_text
from compactor_cli.summary_text.state_line import StateLine
from tests.features.working import Session


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "told"),
    [
        (
            "calendar",
            {"action": "create", "title": "Tides", "start": "9:00"},
            '{"ok": true, "event": {"id": "ev_71"}}',
            "calendar create ev_71 Tides (start 9:00)",
        ),
        (
            "calendar",
            {"action": "update", "id": "ev_71", "start": "10:00"},
            '{"event": {"id": "ev_71", "title": "Tides"}}',
            "calendar update ev_71 (start 10:00)",
        ),
        ("contacts", {"operation": "delete_contact", "id": "c-7"}, "{}", "contacts delete_contact c-7"),
        ("orders", {"command": "cancel", "order_id": "W7"}, "{}", "orders cancel W7"),
        (
            "open_ticket",
            {"action": "update", "ticket": "TEC-3", "window": "08-12"},
            "{}",
            "open_ticket update TEC-3 (window 08-12)",
        ),
        ("help_desk", {"action": "create", "title": "Tides"}, "ok", "help_desk create Tides"),
        ("plans", {"action": "cancel", "user_id": "u7"}, "ok", "plans cancel u7"),
        ("lines", {"action": "cancel", "line_number": 7}, "ok", "lines cancel (line_number 7)"),
        ("orders", {"action": "cancel", "order": "W-7"}, "ok", "orders cancel W-7"),
        ("pay_invoice", {"method": "check", "id": "R-7"}, "{}", "pay_invoice R-7 (method check)"),
    ],
)
def test_what_a_tool_of_several_uses_did_is_told(tool: str, arguments: dict[str, Any], said: str, told: str) -> None:
    assert Session().calls(tool, said, **arguments).texts() == [told]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("calendar", {"action": "list", "from": "2026-11-02"}),
        ("open_ticket", {"action": "get", "ticket": "TEC-3"}),
        ("issue_write", {"method": "get", "id": "7"}),
        ("browser", {"action": "submit", "ref": "e7"}),
        ("todo", {"action": "create", "title": "Tides"}),
        ("memory", {"command": "create", "text": "Tides"}),
        ("process", {"action": "send", "id": "7"}),
        ("http_request", {"method": "POST", "url": "https://a.example/search"}),
        ("chart", {"action": "create", "title": "Tides"}),
        ("search_orders", {"action": "update", "id": "7"}),
        ("calendar", {"action": "please create it", "id": "7"}),
        ("calendar", {"kind": "create", "id": "7"}),
        ("audit_log", {"action": "delete", "user_id": "u-7", "id": "c-7"}),
        ("permissions", {"action": "delete", "id": "c-7"}),
        ("metrics", {"operation": "create", "name": "orders"}),
        ("events", {"action": "create", "title": "Tides", "since": "2026-01-01"}),
        ("stripe_docs", {"operation": "refund", "title": "Refunds"}),
        ("cost_estimator", {"operation": "create", "id": "vm-7"}),
        ("order_simulator", {"action": "place", "id": "W-7"}),
        ("calc", {"operation": "add", "name": "sum"}),
        ("checklist", {"action": "add", "title": "Tides"}),
        ("http", {"method": "delete", "url": "https://a.example/7"}),
        ("order_simulator", {"n": 7}),
    ],
)
def test_what_only_looks_or_is_of_the_agent_itself_is_not_told(tool: str, arguments: dict[str, Any]) -> None:
    assert Session().calls(tool, "{}", **arguments).texts("effect") == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("arithmetic", {"operation": "add", "a": 2, "b": 3}, '{"sum": 1024}'),
        ("pandas", {"operation": "merge", "left": "a", "right": "b"}, "512 rows"),
        ("imagemagick", {"operation": "remove_background", "input": "a.png"}, "ok"),
        ("pdf", {"operation": "merge", "inputs": ["a.pdf", "b.pdf"]}, "ok"),
        ("excel", {"action": "set_value", "cell": "A1", "value": "3"}, "ok"),
        ("lsp", {"operation": "rename", "symbol": "a"}, "ok"),
        ("gdb", {"action": "set_breakpoint", "line": 3}, "Breakpoint 1"),
        ("robot", {"action": "move", "x": 1}, "ok"),
        ("help", {"command": "create"}, "How to create things"),
    ],
)
def test_what_is_told_to_do_something_to_nothing_that_is_named_is_not_told(
    tool: str, arguments: dict[str, Any], said: str
) -> None:
    assert Session().calls(tool, said, **arguments).texts() == []


def test_an_act_without_a_name_that_failed_is_made_up_for_by_one_that_is_not_told() -> None:
    session = Session().calls("visits", "Error: full", action="book", guest="Ann")
    assert session.texts() == ["failed: visits book (guest Ann): Error: full"]
    assert session.calls("visits", "ok", action="book", guest="Ann").texts() == []
    session.calls("visits", '{"visit_id": "V-7"}', action="book", guest="Ann")
    assert session.texts() == ["visits book V-7 (guest Ann)"]


@pytest.mark.parametrize(
    "said",
    [
        '{"status": "error", "message": "no such"}',
        '{"status": "failed"}',
        '{"success": "false"}',
        '{"success": false}',
        '{"errors": [{"message": "no such"}]}',
        "No contact with id c-7",
    ],
)
@pytest.mark.parametrize(("tool", "action"), [("crm", {"action": "delete"}), ("delete_contact", {})])
def test_what_a_result_says_to_be_undone_is_told_as_failed(tool: str, action: dict[str, str], said: str) -> None:
    (told,) = Session().calls(tool, said, **action, id="c-7").texts()
    assert told.startswith(f"failed: {tool} ")


@pytest.mark.parametrize(
    "said",
    [
        '{"status": "confirmed"}',
        '{"status": "lost"}',
        '{"errors": []}',
        '{"success": true}',
        "No more is due. The contact with id c-7 was deleted.\nThank you.",
        '{"contact": {"status": "failed"}}',
    ],
)
def test_what_a_result_says_of_the_thing_is_no_failure(said: str) -> None:
    (told,) = Session().calls("crm", said, action="update", id="c-7", state="x").texts()
    assert told.startswith("crm update c-7")
    (told,) = Session().calls("crm", '{"status": "failed"}', action="update", id="c-7", status="failed").texts()
    assert told.startswith("crm update c-7")


@pytest.mark.parametrize(
    "tries", [{"preview": True}, {"mode": "dry_run"}, {"confirm": False}, {"confirmed": "false"}, {"dryRun": "true"}]
)
def test_what_is_asked_for_a_preview_or_without_a_yes_is_not_told(tries: dict[str, Any]) -> None:
    assert Session().calls("crm", "{}", action="delete", id="c-7", **tries).texts() == []
    assert Session().calls("delete_contact", "{}", id="c-7", **tries).texts() == []


@pytest.mark.parametrize("arguments", [{"confirm": True}, {"mode": "fast"}, {"mode": 1}, {"preview": False}])
def test_what_is_confirmed_is_told(arguments: dict[str, Any]) -> None:
    assert len(Session().calls("crm", "{}", action="delete", id="c-7", **arguments).texts()) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("delete_server", {"id": "atlas-3"}),
        ("calendar", {"action": "delete", "id": "ev_7"}),
        ("bigquery", {"sql": "delete from carts"}),
    ],
)
def test_what_is_only_tried_is_not_told(tool: str, arguments: dict[str, Any]) -> None:
    assert Session().calls(tool, "{}", **arguments, dry_run=True).texts() == []
    assert len(Session().calls(tool, "{}", **arguments, dry_run=False).texts()) == 1


def test_what_failed_is_made_up_for_by_the_same_action_only() -> None:
    session = Session().calls("calendar", '{"error": {"code": 9, "message": "no room"}}', action="update", id="e7")
    failed = "failed: calendar update e7: no room"
    assert session.calls("calendar", "{}", action="confirm", id="e7").texts() == ["calendar confirm e7", failed]
    assert session.calls("calendar", "{}", action="update", id="e7").texts()[0] == "calendar update e7"
    assert failed not in session.texts()


@pytest.mark.parametrize(
    ("tool", "first", "second"),
    [
        (
            "orders",
            {"action": "comment", "id": "W-7", "text": "late"},
            {"action": "comment", "id": "W-7", "text": "lost"},
        ),
        (
            "crm",
            {"action": "update", "id": "d-7", "field": "owner", "value": "Ann"},
            {"action": "update", "id": "d-7", "field": "stage", "value": "won"},
        ),
        (
            "orders",
            {"action": "update", "id": "W-7", "items": ["a"]},
            {"action": "update", "id": "W-7", "items": ["b"]},
        ),
        ("orders", {"action": "update", "id": "W-7", "note": "a"}, {"action": "update", "id": "W-8", "note": "b"}),
        (
            "issues",
            {"action": "update", "id": "4711", "repo": "a", "state": "open"},
            {"action": "update", "id": "4711", "repo": "b", "state": "closed"},
        ),
        ("issues", {"action": "update", "id": 7, "state": "open"}, {"action": "update", "id": 7, "state": "closed"}),
        ("orders", {"action": "refund", "id": "W-7", "amount": 5}, {"action": "refund", "id": "W-7", "amount": 8}),
        ("orders", {"action": "confirm", "id": "W-7", "note": "a"}, {"action": "update", "id": "W-7", "note": "b"}),
    ],
)
def test_acts_that_may_both_hold_are_both_told(tool: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    assert len(Session().calls(tool, "{}", **first).calls(tool, "{}", **second).texts()) == 2


def test_an_update_that_failed_leaves_what_was_made_as_it_was() -> None:
    session = Session().calls("calendar", '{"id": "ev_71"}', action="create", title="Tides", start="9:00")
    session.calls("calendar", '{"ok": false, "error": "no room"}', action="update", id="ev_71", start="10:00")
    assert session.texts() == [
        "failed: calendar update ev_71 (start 10:00): no room",
        "calendar create ev_71 Tides (start 9:00)",
    ]


def test_a_line_has_a_shorter_form_with_amounts_and_dates() -> None:
    long = "three full days without any line at all, as the line check says"
    session = Session().calls("apply_credit", '{"credit_id": "CR-7"}', account="4471", amount=4.5, unit="EUR", why=long)
    (line,) = session.state()
    assert line.brief == "apply_credit CR-7 (account 4471, amount 4.5, unit EUR)"
    (line,) = Session().calls("apply_credit", '{"credit_id": "CR-7"}', account="4471").state()
    assert line.brief == ""


def test_an_address_is_among_the_short_details() -> None:
    session = Session().calls(
        "add_guest", "{}", order_id="JG7", guest="ann-b@x.org", why="they meet at the old harbour"
    )
    assert _brief_of(session) == "add_guest JG7 (guest ann-b@x.org)"


def test_flights_and_days_are_among_the_short_details() -> None:
    flights = [{"number": "HAT028", "date": "2024-05-21"}, {"number": "HAT277", "date": "2024-05-22"}]
    session = Session().calls(
        "update_flights", "{}", order_id="JG7", flights=flights, why="the weather of the whole week"
    )
    (line,) = session.state()
    assert line.brief == "update_flights JG7 (flights HAT028 2024-05-21; HAT277 2024-05-22)"


def _brief_of(session: Session) -> str:
    (line,) = session.state()
    assert line.brief
    assert line.brief != line.text
    return line.brief


def test_the_short_form_of_an_act_in_an_earlier_round_does_not_stand_beside_it() -> None:
    long = "three full days without any line at all, as the line check says"
    session = Session().calls("apply_credit", "{}", credit_id="CR-7", amount=4.5, why=long)
    (text,) = session.texts()
    assert session.texts(earlier=[_brief_of(session)]) == [text]
    assert session.texts(earlier=["apply_credit CR-8 (amount 4.5)"]) == [text, "apply_credit CR-8 (amount 4.5)"]


def test_nor_where_the_act_is_still_in_view_behind_which_an_earlier_round_tells_it() -> None:
    long = "three full days without any line at all, as the line check says"
    session = Session().calls("apply_credit", "{}", credit_id="CR-7", amount=4.5, why=long)
    (text,) = session.texts()
    block = state_text([StateLine("effect", _brief_of(session), 1)])
    (said,) = Session(block).messages
    summary = replace(said, index=len(session.messages), origin="summary")
    assert [line.text for line in session_state([*session.messages, summary])] == [text]
