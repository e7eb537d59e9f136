"""Droid: the active branch of a session, and the records that droid exec prints."""

from __future__ import annotations

import json

import pytest

from tests.builders import compact, find_faults, jsonl, load
from tests.formats.checkers.droid import check_session
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded, tried

FOLDER = CASES / "droid"
FILES = sorted(FOLDER.iterdir())
STAGE = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "droid"
HEAD = {"type": "session_start", "id": "s", "title": "Lamps", "cwd": "/home/ann"}
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "hives.jsonl": (
        {"user": 3, "assistant": 8, "tool": 6},
        2,
        {"text": 10, "thinking": 1, "tool_call": 7, "tool_result": 7},
        1,
    ),
    "exec.jsonl": ({"user": 1, "assistant": 5, "tool": 4}, 1, {"text": 3, "tool_call": 4, "tool_result": 4}, 2),
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
    "session_store_small.jsonl": (
        {"user": 1, "assistant": 1, "tool": 1},
        1,
        {"text": 1, "tool_call": 1, "tool_result": 1},
        1,
    ),
    "session_store_schema_drift.jsonl": ({"user": 1, "assistant": 1}, 1, {"text": 2}, 0),
    "stream_json_large.jsonl": (
        {"user": 1, "assistant": 3, "tool": 1},
        1,
        {"text": 3, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "stream_json_small.jsonl": (
        {"user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 2, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "stream_json_schema_drift.jsonl": (
        {"user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 2, "tool_call": 1, "tool_result": 1},
        1,
    ),
}


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"], found["failed"]


def said(name, parent, text, role="user"):
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": name, "timestamp": "2026-05-04T08:00:00Z", "message": message, "parentId": parent}


def texts(*records):
    source = load(jsonl(HEAD, *records))
    assert source.format == "droid"
    return [message.text() for message in source.transcripts[0].messages]


@pytest.mark.parametrize("name", GOLDEN)
def test_messages_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "droid"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN[name]


@pytest.mark.skipif(not STAGE.exists(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", GOLDEN_REAL)
def test_real_messages_are_those_counted_by_hand(name):
    data = (STAGE / name).read_bytes()
    assert load(data).format == "droid"
    assert figures_of(load(data)) == GOLDEN_REAL[name]
    assert_untouched(data)
    list(compactions(data))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_is_compacted_and_stays_itself(path):
    data = path.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    assert len(outputs) >= tried() // 2
    for out in outputs:
        if b"session_start" in data:
            sent = check_session(out, chained=b'"parentId"' in data)
            # a message with a reminder beside the user's words is read as two
            read = [*dict.fromkeys(m.id.partition("/")[0] for m in load(out).transcripts[0].messages)]
            assert [m["id"] for m in sent] == read


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_only_the_active_branch_is_read_and_the_other_can_be_left_out():
    data = (FOLDER / "hives.jsonl").read_bytes()
    assert not any("dead end" in m.text() for m in load(data).transcripts[0].messages)
    assert b"dead end" in compact(data, target_ratio=0.5).data
    assert b"dead end" not in compact(data, target_ratio=0.5, drop_outside=True).data


def test_only_the_way_from_the_last_message_to_the_head_is_read():
    found = texts(said("a", "s", "one"), said("b", "a", "two", "assistant"), said("c", "a", "three", "assistant"))
    assert found == ["one", "three"]


def test_a_message_whose_parent_is_lost_follows_the_one_before_it():
    assert texts(said("a", "s", "one"), said("b", "lost", "two", "assistant")) == ["one", "two"]


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


def test_calls_in_a_row_are_one_answer_and_a_repeated_text_goes_with_the_first():
    source = loaded(FOLDER / "exec.jsonl")
    messages = source.transcripts[0].messages
    assert [len(m.calls) for m in messages if m.calls] == [2, 1, 1]
    assert [m.text() for m in messages].count("There are 41 full frames.") == 1
    assert source.transcripts[0].copies == {12}


def test_of_a_command_that_printed_an_error_all_is_read():
    messages = loaded(FOLDER / "exec.jsonl").transcripts[0].messages
    failed = [part.text for m in messages for part in m.results if part.failed]
    assert failed == [
        "empty.csv: No such file or directory",
        '{"stdout":"","stderr":"grep: frames.csv: is locked","exitCode":2}',
    ]
