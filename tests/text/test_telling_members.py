"""Of JSON a record that failed among others is told, and the plain values beside lists of records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.text.telling_members import failed_records, plain_members


def _checks(*states: str, key: str = "state", **more: str) -> dict[str, Any]:
    return {"pr": 7, "checks": [{"name": f"check {n}", key: state, **more} for n, state in enumerate(states)]}


@pytest.mark.parametrize("key", ["state", "status", "conclusion"])
@pytest.mark.parametrize("failed", ["failure", "FAILED", "error"])
def test_a_record_that_failed_among_others_is_found(key: str, failed: str) -> None:
    text = json.dumps(_checks("success", "success", failed, "skipped", key=key))
    assert [text[start:end] for start, end in failed_records(text)] == [f'"{key}": "{failed}"']


def test_it_is_found_with_what_is_said_of_it() -> None:
    text = json.dumps(_checks("success", "failure", "success", detail='No harbour "Sile".'))
    ((start, end),) = failed_records(text)
    assert json.loads(f"{{{text[start:end]}}}") == {"state": "failure", "detail": 'No harbour "Sile".'}


def test_what_may_be_a_usual_end_is_a_failure_where_a_record_says_why() -> None:
    checks = _checks("ok", "ok", "ok", "denied", error="No key.")
    text = json.dumps(checks)
    assert [text[start:end] for start, end in failed_records(text)] == ['"state": "denied", "error": "No key."']


@pytest.mark.parametrize(
    "value",
    [
        {"orders": [{"status": "paid"}, {"status": "rejected"}, {"status": "open"}, {"status": "paid"}]},
        {"fields": [{"state": "CA"}, {"state": "denied", "message": "A word for it"}, {"state": "NY"}]},
        _checks("success", "success", "success"),
        _checks("failure"),
        _checks("failure", "success"),
        _checks("failure", "failure", "failure", "success"),
        _checks("high", "error", "high", "low", key="severity"),
        {"rules": {"state": "error", "level": "error"}},
        {"messages": [{"text": "state: failure"}, {"text": "state: ok"}, {"text": "status: ok"}]},
        {"state": "failure of the pump", "status": "ok"},
    ],
)
def test_what_is_usual_or_no_state_is_no_news(value: Any) -> None:
    assert failed_records(json.dumps(value)) == []


def test_plain_values_beside_records_are_found() -> None:
    value = {"dry_run": True, "gone": 158, "errors": [{"id": "s-1"}], "note": "x" * 90, "of": {"a": 1}, "saves": 38.4}
    text = json.dumps(value)
    assert [text[start:end] for start, end in plain_members(text)] == [
        '"dry_run": true',
        '"gone": 158',
        '"saves": 38.4',
    ]
    assert plain_members(json.dumps({**value, "errors": ["s-1"]})) == []
    assert plain_members(json.dumps(value["errors"])) == []
