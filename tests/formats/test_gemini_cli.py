"""Gemini CLI: a message holds its calls and their results; lines are followed as the agent follows them."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import compact, find_faults, jsonl, listing_output, load
from tests.formats.checkers.gemini_cli import check_history, history, load_session
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "gemini-cli"
FILES = sorted(FOLDER.iterdir())
STAGE = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "gemini"
REAL_FILES = sorted([*(REAL / "gemini-cli").glob("*"), *STAGE.glob("*")])
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "ferry.jsonl": (
        {"user": 5, "assistant": 10, "tool": 6},
        4,
        {"text": 10, "thinking": 1, "tool_call": 8, "tool_result": 7, "image": 1},
        2,
    ),
    "lighthouse.jsonl": (
        {"user": 12, "assistant": 13, "tool": 11},
        11,
        {"text": 24, "tool_call": 11, "tool_result": 11},
        0,
    ),
    "herons.json": ({"user": 3, "assistant": 13, "tool": 11}, 3, {"text": 8, "tool_call": 11, "tool_result": 11}, 1),
    "packets.json": ({"user": 2, "assistant": 10, "tool": 8}, 2, {"text": 12, "tool_call": 16, "tool_result": 16}, 0),
}
GOLDEN_REAL = {
    "2026-01-09-faff42ab-6ea5-4f78-b8c4-f7dd6272af08.json": (
        {"user": 2, "assistant": 4, "tool": 2},
        2,
        {"text": 4, "thinking": 6, "tool_call": 2, "tool_result": 2},
        0,
    ),
    "agentsview-tool_calls_with_results.json": (
        {"user": 1, "assistant": 1, "tool": 1},
        1,
        {"text": 2, "thinking": 1, "tool_call": 2, "tool_result": 2},
        0,
    ),
    "jsonl_v040.jsonl": ({"user": 1, "assistant": 2, "tool": 1}, 1, {"text": 2, "tool_call": 1, "tool_result": 1}, 0),
    "large.json": (
        {"user": 2, "assistant": 4, "tool": 2},
        2,
        {"text": 4, "thinking": 1, "tool_call": 2, "tool_result": 2},
        1,
    ),
}
HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "2026-05-04T08:00:00Z", "kind": "main"}


def said(name, text, type="user"):
    return {"id": name, "timestamp": "2026-05-04T08:00:00Z", "type": type, "content": text}


def texts(*records):
    source = load(jsonl(HEAD, *records))
    assert source.format == "gemini-cli"
    return [message.text() for message in source.transcripts[0].messages]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "gemini-cli"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    (path,) = [path for path in REAL_FILES if path.name == name]
    found = figures(loaded(path))
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_agent_would_load(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data):
        if b'"history"' not in data:
            check_history(history(load_session(out)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_a_repeated_id_replaces_the_message_at_its_place():
    assert texts(said("a", "one"), said("b", "two", "gemini"), said("a", "three")) == ["three", "two"]


def test_the_records_of_a_repeated_id_stay_or_go_together():
    long = [said(f"m{n}", listing_output(f"part {n}", 60), "gemini") for n in range(10)]
    data = jsonl(HEAD, said("a", "one"), *(record for one in long for record in ({**one, "content": ""}, one)))
    out = [json.loads(line) for line in compact(data, target_ratio=0.3).data.splitlines()]
    counts = {n: sum(record.get("id") == f"m{n}" for record in out) for n in range(10)}
    assert set(counts.values()) <= {0, 2}
    assert 2 in counts.values()
    assert [message["content"][0] for message in load_session(compact(data, target_ratio=1.0).data)][1] == "p"


def test_a_rewind_takes_back_a_message_and_all_behind_it():
    three = [said("a", "one"), said("b", "two", "gemini"), said("c", "three")]
    assert texts(*three, {"$rewindTo": "b"}, said("d", "four", "gemini")) == ["one", "four"]
    assert texts(*three, {"$rewindTo": "nobody"}, said("d", "four", "gemini")) == ["four"]


def test_a_list_in_set_replaces_all_history_and_its_first_message_stays():
    data = (FOLDER / "lighthouse.jsonl").read_bytes()
    assert [note.kind for note in load(data).notes] == ["outside_context"]
    out = compact(data, target_ratio=0.25).data
    messages = load_session(out)
    assert messages[0]["id"] == "m040"
    assert messages[0]["content"][0]["text"].startswith("<state_snapshot>")
    assert b"an old answer" in out
    # the others are messages like any other: they may go
    assert {"m041", "m042"} - {message["id"] for message in load_session(compact(data, target_ratio=0.1).data)}


def test_of_a_list_in_set_what_was_there_before_stands_for_nothing():
    records = [said("a", "one"), said("b", "two", "gemini"), said("c", "three")]
    kept = load(jsonl(HEAD, *records, {"$set": {"messages": records[1:]}})).transcripts[0].messages
    assert [(m.text(), m.pinned) for m in kept] == [("two", False), ("three", False)]
    new = load(jsonl(HEAD, *records, {"$set": {"messages": [said("s", "All of it."), records[2]]}}))
    assert [(m.text(), m.pinned) for m in new.transcripts[0].messages] == [("All of it.", True), ("three", False)]


def test_what_the_agent_does_not_send_is_no_message():
    records = [
        said("a", "<session_context>\nx"),
        said("b", "/stats"),
        said("c", "? help"),
        said("d", "Update available.", "info"),
        said("e", "", "gemini"),
        said("f", "Go on."),
    ]
    assert texts(*records) == ["Go on."]


def edited(path, choose, text="cut … short"):
    """The record of the first part that is chosen, written with another text for it."""
    transcript = loaded(path).transcripts[0]
    part = next(p for m in transcript.messages for p in m.parts if choose(p))
    raw = transcript.raw(part.place.record)
    return json.loads(jsonedit.replace(raw, FORMATS["gemini-cli"].edits(raw, [(part, text)])))


def test_a_result_that_is_shortened_is_shortened_where_it_is_displayed_too():
    record = edited(FOLDER / "ferry.jsonl", lambda part: part.kind == "tool_result" and part.call_id == "read_file-4")
    (call,) = record["toolCalls"]
    assert call["result"][0]["functionResponse"]["response"] == {"output": "cut … short"}
    assert call["resultDisplay"] == "cut … short"
    assert record["content"][0]["thoughtSignature"] == "c2lnLTAwMDE="


def test_what_is_signed_has_no_place_to_be_changed_at():
    parts = [p for m in loaded(FOLDER / "ferry.jsonl").transcripts[0].messages for p in m.parts]
    assert [p.place for p in parts if p.text == "I read the source." or p.call_id == "read_file-4"][:2] == [None, None]


def test_a_call_in_both_places_is_changed_in_both():
    call = {"id": "c", "name": "write_file", "args": {"content": "long"}}
    message = {**said("a", "", "gemini"), "content": [{"functionCall": call}], "toolCalls": [{**call, "result": "ok"}]}
    transcript = load(jsonl(HEAD, said("u", "Write."), message)).transcripts[0]
    assert [p.kind for m in transcript.messages for p in m.parts] == ["text", "tool_call", "tool_result"]
    raw, part = transcript.raw(2), transcript.messages[1].parts[0]
    out = json.loads(jsonedit.replace(raw, FORMATS["gemini-cli"].edits(raw, [(part, '{"content":"…"}')])))
    assert out["content"][0]["functionCall"]["args"] == out["toolCalls"][0]["args"] == {"content": "…"}


def test_a_response_of_several_members_stays_an_object():
    record = edited(FOLDER / "packets.json", lambda part: part.kind == "tool_result" and '"lines"' in part.text)
    assert record["parts"][0]["functionResponse"]["response"] == {"output": "cut … short"}


def test_what_is_added_to_a_session_has_what_its_kind_of_file_needs():
    records = [
        json.loads(x) for x in compact((FOLDER / "ferry.jsonl").read_bytes(), target_ratio=0.25).data.splitlines()
    ]
    before = [json.loads(x) for x in (FOLDER / "ferry.jsonl").read_bytes().splitlines()]
    new = [r for r in records if "id" in r and r["id"] not in {b.get("id") for b in before}]
    assert new
    assert all(record["type"] == "user" and record["timestamp"] and record["content"][0]["text"] for record in new)
    out = json.loads(compact((FOLDER / "packets.json").read_bytes(), target_ratio=0.2).data)
    assert all(list(content) == ["role", "parts"] for content in out["history"])


def test_the_tokens_that_the_provider_counted_are_those_of_the_whole_context():
    usage = FORMATS["gemini-cli"].usage
    counts = {"input": 900, "output": 20, "cached": 700, "thoughts": 3, "tool": 0}
    assert usage({**said("a", "x", "gemini"), "tokens": counts}) == 923
    assert usage({**said("a", "x", "gemini"), "tokens": {**counts, "total": 925}}) == 925
    assert usage(said("a", "x", "gemini")) is None
