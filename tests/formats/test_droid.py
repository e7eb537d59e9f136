"""Droid: Anthropic blocks in a chain of records; other branches and states pass through."""

from __future__ import annotations

import json

import pytest

from tests.builders import compact, faults_of, jsonl, load
from tests.formats.checkers.droid import check_session
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "droid"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = sorted((REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "droid").glob("session_store_*.jsonl"))
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "lamps.jsonl": (
        {"user": 3, "assistant": 13, "tool": 10},
        3,
        {"text": 16, "thinking": 3, "tool_call": 10, "tool_result": 10},
        1,
    ),
    "old.jsonl": (
        {"user": 3, "assistant": 10, "tool": 7},
        3,
        {"text": 13, "thinking": 2, "tool_call": 7, "tool_result": 7},
        1,
    ),
    "fork.jsonl": (
        {"user": 3, "assistant": 11, "tool": 8},
        3,
        {"text": 14, "thinking": 2, "tool_call": 8, "tool_result": 8},
        1,
    ),
}
GOLDEN_REAL = {
    "session_store_large.jsonl": (
        {"user": 2, "assistant": 4, "tool": 1},
        2,
        {"text": 5, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "session_store_schema_drift.jsonl": ({"user": 1, "assistant": 1}, 1, {"text": 2}, 0),
    "session_store_small.jsonl": (
        {"user": 1, "assistant": 1, "tool": 1},
        1,
        {"text": 1, "tool_call": 1, "tool_result": 1},
        1,
    ),
}
HEAD = {"type": "session_start", "id": "s", "title": "Lamps", "cwd": "/home/ann"}


def said(name, parent, text, role="user"):
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": name, "timestamp": "2026-05-04T08:00:00Z", "message": message, "parentId": parent}


def texts(*records):
    source = load(jsonl(HEAD, *records))
    assert source.format == "droid"
    return [message.text() for message in source.transcripts[0].messages]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "droid"
    assert faults_of(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    (path,) = [path for path in REAL_FILES if path.name == name]
    source = loaded(path)
    found = figures(source)
    assert source.format == "droid"
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_holds_together(path):
    data = path.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    for out in outputs:
        check_session(out, chained=b'"parentId"' in data)
    assert outputs or path in REAL_FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_only_the_way_from_the_last_message_to_the_head_is_read():
    found = texts(said("a", "s", "one"), said("b", "a", "two", "assistant"), said("c", "a", "three", "assistant"))
    assert found == ["one", "three"]


def test_a_message_whose_parent_is_lost_follows_the_one_before_it():
    assert texts(said("a", "s", "one"), said("b", "lost", "two", "assistant")) == ["one", "two"]


def test_a_branch_that_was_left_passes_through():
    out = compact((FOLDER / "fork.jsonl").read_bytes(), target_ratio=0.25).data
    assert b"I count nothing." in out
    assert all(m["id"] != "fork-side" for m in check_session(out, chained=True))


def test_a_new_record_is_a_message_of_blocks_in_the_chain():
    data = (FOLDER / "lamps.jsonl").read_bytes()
    had = {json.loads(line)["id"] for line in data.splitlines()}
    new = [m for m in check_session(compact(data, target_ratio=0.25).data, chained=True) if m["id"] not in had]
    assert new
    assert all(m["timestamp"] and m["message"]["content"][0]["type"] == "text" for m in new)


def test_where_no_message_names_a_parent_a_new_one_names_none_either():
    out = compact((FOLDER / "old.jsonl").read_bytes(), target_ratio=0.25).data
    assert len(check_session(out, chained=False)) < 20
    assert b"parentId" not in out
