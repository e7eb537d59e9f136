"""Acts of one tool on things with one identity: which of them leave nothing of an earlier one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    ("tool", "first", "then"),
    [
        ("set_config", {"app_id": "S-100", "name": "LOG", "value": "3"}, {"name": "MODE", "value": "4"}),
        ("set_env_var", {"service_id": "S-100", "variable": "LOG"}, {"variable": "MODE"}),
        ("update_slide", {"deck_id": "S-100", "slide": 1, "text": "Intro"}, {"slide": 2, "text": "End"}),
        ("update_doc", {"doc_id": "S-100", "section": "Intro", "text": "x"}, {"section": "End", "text": "y"}),
        ("set_permission", {"doc_id": "S-100", "email": "a@b.c", "role": "x"}, {"email": "d@b.c", "role": "y"}),
        ("set_price", {"listing_id": "S-100", "day": "2026-01-01", "price": 5}, {"day": "2026-01-02", "price": 7}),
        ("update_cell", {"sheet_id": "S-100", "cell": "A1", "value": "3"}, {"cell": "B1", "value": "4"}),
        ("sheets", {"action": "update", "id": "S-100", "range": "A1", "value": "3"}, {"range": "B1", "value": "4"}),
        ("jira", {"action": "update_comment", "id": "T-100", "comment": "a"}, {"comment": "b"}),
        ("assign_issue", {"issue_id": "T-100", "assignee": "ann"}, {"assignee": "bob"}),
        ("jira", {"action": "create_comment", "id": "T-100", "body": "x"}, {"action": "update_status", "body": "y"}),
        ("cart", {"action": "add", "cart_id": "C-100", "item": "pen"}, {"action": "update", "item": "ink"}),
        ("cart", {"action": "add", "cart_id": "C-100", "item": "pen"}, {"action": "remove", "item": "ink"}),
        ("users", {"action": "add", "group_id": "G-100", "user": "ann"}, {"action": "remove", "user": "bob"}),
        ("crm", {"action": "create_contact", "id": "A-100", "name": "Ann"}, {"action": "remove_tag", "tag": "vip"}),
        ("rooms", {"action": "book", "room_id": "R-100", "day": "2026-01-02"}, {"action": "cancel"}),
        ("steps", {"action": "create", "issue_id": "T-100", "title": "one"}, {"action": "update", "title": "two"}),
    ],
)
def test_acts_on_parts_of_a_thing_are_all_told(tool: str, first: dict[str, Any], then: dict[str, Any]) -> None:
    identity = {name: value for name, value in first.items() if name in ("action", "id") or name.endswith("_id")}
    session = Session().calls(tool, "ok", **first)
    (told,) = session.texts()
    assert session.calls(tool, "ok", **{**identity, **then}).texts()[1:] == [told]


_MADE = '{"event": {"id": "ev_71"}}'


def test_a_change_behind_one_that_is_told_by_itself_is_told_by_itself() -> None:
    session = Session().calls("calendar", _MADE, action="create", title="Tides", start="9:00")
    session.calls("calendar", "ok", action="update", id="ev_71", start="10:00", room="B")
    session.calls("calendar", "ok", action="update", id="ev_71", start="11:00")
    assert session.texts() == [
        "calendar update ev_71 (start 11:00)",
        "calendar update ev_71 (start 10:00, room B)",
        "calendar create ev_71 Tides (start 9:00)",
    ]


@pytest.mark.parametrize(
    ("action", "is_over"),
    [("delete", True), ("cancel_invoice", True), ("delete_attachment", False), ("cancel_reminder", False)],
)
def test_an_end_of_a_part_does_not_make_up_for_what_failed(action: str, is_over: bool) -> None:
    session = Session().calls("send_invoice", "Error: card", id="I-5001")
    session.calls("invoices", "ok", action=action, id="I-5001", part="x")
    assert len([text for text in session.texts() if text.startswith("failed")]) == (not is_over)
