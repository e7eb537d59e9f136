"""Results that are JSON objects, whole or with parts left out: how the call ended, and why."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.json_results import says_failed, stated_error, states_end
from compactor_cli.features.work.state import compute_state
from tests.features.working import Session

_GAP = "[… 3 lines left out · ctx_0123abcd]"
_ASKED = {"queue": "ORD", "offer": "OFF-49"}
_TOLD = "open_ticket (queue ORD, offer OFF-49)"


@pytest.mark.parametrize(
    "said",
    [
        '{"ok": false, "why": "locked"}',
        f'{{\n  "ok": false,\n  "error": "LOCKED"\n{_GAP}\n"trace": [\n    "ord:77"\n  ]',
        f'{{"id": 4, "success": false, "text": "one, two {_GAP} more"}}',
        f'{{\n  "error": {{\n    "code": 550,\n{_GAP}\n  }}\n}}',
        f'{{\n  "items": [\n    1,\n{_GAP}\n  ],\n  "ok": false\n}}',
    ],
)
def test_an_act_that_failed_is_told_so_also_where_a_part_of_its_result_was_left_out(said: str) -> None:
    (text,) = Session().calls("open_ticket", said, **_ASKED).texts()
    assert text.startswith(f"failed: {_TOLD}")


@pytest.mark.parametrize(
    "said",
    [
        f'{{\n  "ok": true,\n  "error": null,\n{_GAP}\n}}',
        f'{{\n  "items": [\n    {{\n      "ok": false,\n{_GAP}\n      "ok": false\n    }}\n  ],\n  "ok": true\n}}',
        f'{{"errors_before": 3, "ok": true, "text": "ok: false {_GAP} more"}}',
        f"Opened a ticket.\n{_GAP}\nWe will answer soon.",
        '{"queue": "ORD"}',
    ],
)
def test_an_act_that_was_done_is_told_so_also_where_a_part_of_its_result_was_left_out(said: str) -> None:
    assert Session().calls("open_ticket", said, **_ASKED).texts() == [_TOLD]


@pytest.mark.parametrize("said", [f'{_GAP}\n"line": 2,\n…', f'{{\n  "note": "one",\n{_GAP}\n}}'])
def test_nothing_is_told_of_an_act_where_what_its_result_said_of_it_was_left_out(said: str) -> None:
    session = Session().calls("open_ticket", said, **_ASKED)
    assert session.texts() == []
    failed = [f"failed: {_TOLD}: LOCKED"]
    assert [line.text for line in compute_state(session.messages, failed)] == failed, "what is known stays"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('{"error": "it is in use"}', "it is in use"),
        ('{"error": "LOCKED", "message": "Someone else has to agree."}', "LOCKED: Someone else has to agree."),
        ('{"error": {"code": 550, "message": "no such mailbox"}}', "no such mailbox"),
        ('{"error": {"status": "REJECTED", "details": [], "reason": "full"}}', "full"),
        ('{"error": [{"message": "first"}, {"message": "second"}]}', "first"),
        ('{"error": true, "message": "no room"}', "no room"),
        ('{"error": {"code": 550}}', ""),
        ("no JSON", ""),
    ],
)
def test_the_error_is_what_its_most_telling_member_says(said: str, why: str) -> None:
    assert stated_error(said) == why


@pytest.mark.parametrize("said", ["{", "{}", '{"a": "', f"{{{_GAP}", f'{{"a": [1, {_GAP} 2]}}', "{ if (ok) error(); }"])
def test_what_says_nothing_of_failure_is_none(said: str) -> None:
    assert not says_failed(said)
    assert states_end(said) == (_GAP not in said)


def test_an_error_of_a_tool_is_told_by_its_message_where_it_has_lines_of_its_own() -> None:
    said = '{\n  "error": {\n    "code": 4,\n    "message": "no such tide"\n  }\n}'
    assert Session().calls("tide_table", said, tide="spring").texts() == [
        "open error: no such tide (tide_table spring)"
    ]


def test_what_follows_is_told_where_no_member_says_what_the_error_is() -> None:
    said = '{\n  "ok": false,\n  "conflict": [\n    {\n      "with": "High water"\n    }\n  ]\n}'
    told = '"conflict": [ { "with": "High water" } ] }'
    assert Session().calls("calendar", said, title="Sail").texts() == [f"open error: {told} (calendar Sail)"]
    assert Session().calls("create_event", said, title="Sail").texts() == [f"failed: create_event Sail: {told}"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_event", {"title": "Sail"}),
        ("boats", {"action": "book", "title": "Sail"}),
        ("bigquery", {"sql": "drop table a"}),
    ],
)
def test_what_nobody_knows_the_end_of_is_not_told_as_done(tool: str, arguments: dict[str, str]) -> None:
    cut = f'{{\n  "rows": [\n{_GAP}\n  ]\n}}'
    assert Session().calls(tool, cut, **arguments).texts() == []
    assert len(Session().calls(tool, '{"ok": true}', **arguments).texts()) == 1
