"""Acts of tools of services: files that have an identity, things that are edited, and what they are called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.features.work.tool_names import is_acting
from tests.features.working import Session

_OK = '{"ok": true}'


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_issue", {"issueKey": "M-1", "fields": {"summary": "s"}}),
        ("editJiraIssue", {"issueIdOrKey": "M-1", "fields": {"summary": "s"}}),
        ("API-patch-page", {"page_id": "abc1", "properties": {}}),
        ("edit_message", {"message_id": "m12", "text": "Done"}),
    ],
)
def test_a_thing_of_a_service_is_changed(tool: str, arguments: dict[str, Any]) -> None:
    assert is_acting(tool, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_file", {"path": "a.py", "content": "x"}),
        ("create_file", {"file_path": "a.py", "title": "A"}),
        ("edit_file", {"target_file": "a.py", "code_edit": "x"}),
        ("move_file", {"source": "a.py", "destination": "b.py", "name": "b"}),
        ("edit", {"session_id": "s1", "old": "a"}),
        ("edit_cell", {"cell_id": "c12", "source": "x"}),
        ("edit_plan", {"id": "p1"}),
        ("edit_image", {"image_id": "img_12", "prompt": "x"}),
        ("list_created_files", {"folderId": "1n"}),
        ("get_edit_issue", {"issueKey": "M-1"}),
        ("edit_history", {"issueKey": "M-1"}),
        ("get_updated_issues", {"projectKey": "M"}),
        ("get_file", {"fileId": "1nV"}),
        ("audit_log", {"action": "delete"}),
        ("search", {"query": "Create user story"}),
        ("apply_patch", {"patch": "*** Begin Patch", "request_id": "r1"}),
    ],
)
def test_files_of_the_session_and_look_ups_are_no_acts_elsewhere(tool: str, arguments: dict[str, Any]) -> None:
    assert not is_acting(tool, arguments)


@pytest.mark.parametrize(
    ("arguments", "said", "told"),
    [
        ({"projectKey": "MOB", "summary": "Crash"}, {"id": "99120", "key": "MOB-2317"}, "MOB-2317 (summary Crash)"),
        ({"teamId": "ab-cd", "title": "Crash"}, {"id": "0a-1b", "identifier": "ENG-12"}, "ENG-12 ab-cd Crash"),
        ({"issueKey": "MOB-1", "title": "Crash"}, {"id": "99120", "key": "MOB-2317"}, "MOB-1 Crash"),
        ({"title": "Crash"}, {"id": "99120", "key": "high"}, "99120 Crash"),
    ],
)
def test_what_was_made_is_called_as_people_call_it(arguments: dict[str, Any], said: dict[str, Any], told: str) -> None:
    assert Session().calls("create_issue", json.dumps(said), **arguments).texts() == [f"create_issue {told}"]


def test_a_thing_stands_before_what_it_is_in() -> None:
    arguments = {"cloudId": "x-7", "issueIdOrKey": "M-1", "status": "done"}
    assert Session().calls("update_issue", _OK, **arguments).texts() == ["update_issue M-1 x-7 (status done)"]


_NOBODY = '{"error": {"code": 404, "message": "User does not exist"}}'


@pytest.mark.parametrize(
    ("tool", "failed", "done"),
    [
        ("assign_issue", {"issueKey": "M-1", "accountId": "twilk"}, {"issueKey": "M-2", "accountId": "5f9"}),
        ("add_label", {"issueKey": "M-1", "label_id": "l1"}, {"issueKey": "M-1", "label_id": "l2"}),
        ("invite_user", {"team_id": "T-1", "account_id": "a1"}, {"team_id": "T-1", "account_id": "a2"}),
        ("update_order", {"order_id": "W1", "item_id": "i1"}, {"order_id": "W1", "item_id": "i2"}),
        ("change_booking", {"booking_id": "B1", "flight_id": "F1"}, {"booking_id": "B1", "flight_id": "F2"}),
        ("update_issue", {"issueKey": "M-1", "statusId": "s1"}, {"issueKey": "M-1", "assigneeId": "u2"}),
        ("assign_issue", {"issueKey": "M-1", "sprintId": "s1"}, {"issueKey": "M-1", "accountId": "5f9"}),
        ("assign_issue", {"issueKey": "M-1", "sprintId": "s1"}, {"issueKey": "M-1", "sprintId": "s2"}),
        ("transfer_ticket", {"ticket_id": "T1", "passenger_id": "p1"}, {"ticket_id": "T1", "passenger_id": "p2"}),
        ("update_item", {"order_id": "W1", "item_id": "i1"}, {"order_id": "W1", "item_id": "i2"}),
        ("update_issue_link", {"issueKey": "M-1", "linkId": "l1"}, {"issueKey": "M-1", "linkId": "l2"}),
        ("share_file", {"file_id": "f-1", "account_id": "a1"}, {"file_id": "f-1", "account_id": "a2"}),
    ],
)
def test_another_thing_does_not(tool: str, failed: dict[str, Any], done: dict[str, Any]) -> None:
    session = Session().calls(tool, _NOBODY, **failed).calls(tool, _OK, **done)
    assert any(text.startswith("failed: ") for text in session.texts())
