"""Exports of Claude.ai: many conversations in a list, answers that hold calls with results, trees of messages."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "claude-ai"
FILES = sorted(FOLDER.iterdir())
# counted by hand: conversations, messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "conversations.json": (
        3,
        {"user": 11, "assistant": 17, "tool": 7},
        10,
        {"text": 23, "thinking": 1, "tool_call": 7, "tool_result": 7},
        1,
    ),
    "one.json": (
        1,
        {"user": 3, "assistant": 3, "tool": 1},
        2,
        {"text": 7, "thinking": 1, "tool_call": 1, "tool_result": 1},
        0,
    ),
}
NO_PARENT = "00000000-0000-4000-8000-000000000000"


def found_in(source):
    found = figures(source)
    return tuple(found[key] for key in ("conversations", "roles", "requests", "parts", "failed"))


def conversations(data):
    value = json.loads(data)
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "claude-ai"
    assert find_faults(source) == []
    assert found_in(source) == GOLDEN[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_outputs_are_exports_whose_calls_have_results_and_whose_parents_are_there(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data):
        for before, after in zip(conversations(data), conversations(out), strict=True):
            assert {**before, "chat_messages": 0} == {**after, "chat_messages": 0}
            known = {message["uuid"] for message in after["chat_messages"]} | {NO_PARENT, None}
            for message in after["chat_messages"]:
                assert {"uuid", "text", "sender", "attachments", "files", "created_at", "updated_at"} <= set(message)
                assert message.get("parent_message_uuid") in known
                kinds = [block["type"] for block in message.get("content") or ()]
                assert kinds.count("tool_use") == kinds.count("tool_result")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_the_way_to_the_current_leaf_counts_and_is_found_in_every_output():
    data = (FOLDER / "one.json").read_bytes()
    before = [m.text() for m in load(data).transcripts[0].messages if m.role == "user"]
    assert before[-1] == "And who brought the boat back late?"
    for ratio in (0.6, 0.3, 0.12):
        out = compact(data, target_ratio=ratio, strategy="truncate").data
        assert [m.text() for m in load(out).transcripts[0].messages if m.origin == "request"][-1] == before[-1]


def test_without_a_leaf_the_last_message_is_the_end():
    texts = [m.text() for m in loaded(FOLDER / "conversations.json").transcripts[0].messages if m.role == "user"]
    assert "And who brought the boat back late?" not in texts
    assert texts[-1] == "Thank you. Add that July is closed."


def test_other_branches_stay_unless_they_are_to_be_left_out():
    data = (FOLDER / "one.json").read_bytes()
    kept, dropped = (compact(data, target_ratio=0.5, drop_outside=drop).data for drop in (False, True))
    assert b"Added as the last line" in kept
    assert b"Added as the last line" not in dropped


def test_an_answer_stays_or_goes_with_its_calls_and_results():
    messages = loaded(FOLDER / "conversations.json").transcripts[0].messages
    roles = [(message.role, message.turn) for message in messages[-9:-2]]
    assert [role for role, _ in roles] == ["assistant", "tool", "assistant", "tool", "assistant", "tool", "assistant"]
    assert len({turn for _, turn in roles}) == 1


def test_calls_without_ids_are_answered_in_their_order():
    parts = [part for m in loaded(FOLDER / "conversations.json").transcripts[2].messages for part in m.parts]
    calls = [part.call_id for part in parts if part.kind == "tool_call"]
    assert calls == [part.call_id for part in parts if part.kind == "tool_result"]
    assert len(set(calls)) == 2


def test_what_was_attached_is_beside_the_request_and_no_request():
    first, beside = loaded(FOLDER / "one.json").transcripts[0].messages[:2]
    assert (first.origin, beside.origin) == ("request", "injected")
    assert [part.place.path for part in beside.parts] == [("attachments", n, "extracted_content") for n in (0, 1)]


def test_a_text_that_is_shortened_is_shortened_in_its_copy():
    transcript = loaded(FOLDER / "one.json").transcripts[0]
    raw = transcript.raw(0)
    part = transcript.messages[0].parts[0]
    out = json.loads(jsonedit.replace(raw, FORMATS["claude-ai"].edits(raw, [(part, "Who owes what?")])))
    assert out["text"] == out["content"][0]["text"] == "Who owes what?"


def test_a_conversation_that_fits_beside_one_that_does_not_keeps_its_bytes():
    small = json.loads((FOLDER / "one.json").read_bytes())
    small["chat_messages"] = [{**m, "text": "a", "content": [], "attachments": []} for m in small["chat_messages"]]
    large = json.loads((FOLDER / "one.json").read_bytes())
    data = json.dumps([small, large]).encode()
    out = compact(data, target_tokens=600).data
    assert out.startswith(b"[" + json.dumps(small).encode())
    assert len(out) < len(data)


@pytest.mark.parametrize(
    "record",
    [
        {"sender": "human", "text": "hi"},
        {"uuid": "u", "sender": "agent", "text": "hi"},
        {"uuid": "u", "sender": "human", "role": "user", "text": "hi"},
        {"uuid": "u", "type": "user", "message": {"role": "user", "content": "hi"}},
    ],
)
def test_records_of_others_are_not_claimed(record):
    assert FORMATS["claude-ai"].recognize(record) == 0
