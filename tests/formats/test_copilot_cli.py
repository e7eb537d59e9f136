"""Copilot CLI: events in a chain; what was typed is sent in a form of the agent's, results are events of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import compact, find_faults, jsonl, last_count, listing_output, load
from tests.formats.checkers.copilot_cli import check_events, check_sent, sent
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "copilot-cli"
FILES = sorted(FOLDER.iterdir())
AGENTS = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "copilot"
SMALL = sorted(AGENTS.rglob("*.jsonl"))
SESSIONS = sorted((REAL / "copilot-cli").glob("*.jsonl"))
LARGE = "10fb4666-56f0-4352-90fc-715caf95b418.jsonl"
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "tide.jsonl": (
        {"system": 2, "user": 6, "assistant": 15, "tool": 15},
        3,
        {"text": 17, "other": 5, "thinking": 2, "tool_call": 15, "tool_result": 15, "image": 1},
        2,
    ),
    "salt.jsonl": (
        {"system": 1, "user": 4, "assistant": 10, "tool": 6},
        2,
        {"text": 8, "other": 3, "tool_call": 7, "tool_result": 6},
        0,
    ),
    "weir.jsonl": (
        {"system": 1, "user": 2, "assistant": 3, "tool": 1},
        1,
        {"text": 5, "tool_call": 1, "tool_result": 1},
        0,
    ),
}
GOLDEN_REAL = {
    LARGE: (
        {"system": 1, "user": 2, "assistant": 54, "tool": 68},
        1,
        {"text": 12, "other": 1, "thinking": 22, "tool_call": 68, "tool_result": 68},
        3,
    ),
    "1afc31c8-d97f-4331-bae9-b6417f1b79a9.jsonl": (
        {"system": 1, "user": 1, "assistant": 1},
        1,
        {"text": 3, "other": 1},
        0,
    ),
    "large.jsonl": (
        {"system": 1, "user": 3, "assistant": 4, "tool": 1},
        3,
        {"text": 7, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "schema_drift.jsonl": ({"assistant": 2, "tool": 2}, 0, {"text": 1, "tool_call": 1, "tool_result": 2}, 1),
}


def events_of(data):
    return [json.loads(line) for line in data.splitlines()]


def messages_of(name):
    return loaded(FOLDER / name).transcripts[0].messages


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"], found["failed"]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "copilot-cli"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN[name]


@pytest.mark.skipif(not SESSIONS, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    (path,) = [path for path in (*SESSIONS, *SMALL) if path.name == name]
    source = loaded(path)
    assert source.format == "copilot-cli"
    assert figures_of(source) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_output_is_loaded_and_sends_what_was_kept(path):
    data = path.read_bytes()
    assert_untouched(data)
    check_sent(sent(events_of(data)))
    for out in compactions(data):
        events = events_of(out)
        check_events(events)
        check_sent(sent(events))
        kept = {message.id for message in load(out).transcripts[0].messages if message.role != "system"}
        assert kept <= {event["id"] for event in sent(events)}


@pytest.mark.drawn(6)
@pytest.mark.parametrize("path", [*SESSIONS, *SMALL], ids=lambda path: path.name)
def test_real_sessions_are_compacted(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data, ratios=(0.25, 0.1) if len(data) < 50_000 else (0.1,)):
        if path.name in (LARGE, "large.jsonl", "events.jsonl"):
            check_events(events_of(out), needed=path.name == LARGE)
            check_sent(sent(events_of(out)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_what_the_agent_put_around_the_words_of_the_user_is_told_from_them():
    message = next(m for m in messages_of("tide.jsonl") if m.origin == "request")
    assert [part.kind for part in message.parts] == ["text", "other"]
    assert message.text("text").startswith("The tide table of")
    assert message.parts[1].text.startswith("<current_datetime>")


def edited(name, choose, text="cut … short"):
    """The event of the first part that is chosen, written with another text for it."""
    transcript = loaded(FOLDER / name).transcripts[0]
    part = next(p for m in transcript.messages for p in m.parts if choose(p))
    raw = transcript.raw(part.place.record)
    return json.loads(jsonedit.replace(raw, FORMATS["copilot-cli"].edits(raw, [(part, text)])))["data"]


def test_words_of_the_user_are_shortened_where_they_are_shown_and_in_what_is_sent():
    data = edited("tide.jsonl", lambda part: part.text.startswith("The tide table"))
    assert data["content"] == "cut … short"
    assert data["transformedContent"].startswith("<current_datetime>")
    assert data["transformedContent"].count("cut … short") == 1
    assert "The tide table" not in data["transformedContent"]


def test_where_much_was_added_all_that_is_sent_is_one_text():
    text = "Look at this file."
    sent_as = f"{text}\n<attached>\n{listing_output('cat', 200)}\n</attached>"
    rows = events_of((FOLDER / "weir.jsonl").read_bytes())
    rows[2]["data"] |= {"content": text, "transformedContent": sent_as}
    message = load(jsonl(*rows[:4])).transcripts[0].messages[1]
    assert [part.text for part in message.parts] == [sent_as]
    raw = json.dumps(rows[2]).encode()
    data = json.loads(jsonedit.replace(raw, FORMATS["copilot-cli"].edits(raw, [(message.parts[0], "cut")])))["data"]
    assert (data["content"], data["transformedContent"]) == ("cut", "cut")


def test_what_repeats_a_result_is_shortened_and_its_pictures_go_with_it():
    data = edited("tide.jsonl", lambda part: part.call_id == "c1" and part.kind == "tool_result")
    assert (data["result"]["content"], data["result"]["detailedContent"]) == ("cut … short", "cut … short")
    data = edited("tide.jsonl", lambda part: part.call_id == "c6" and part.kind == "tool_result")
    assert data["result"]["binaryResultsForLlm"] == data["result"]["contents"] == []
    data = edited("tide.jsonl", lambda part: part.call_id == "c7" and part.kind == "tool_result")
    assert data["error"]["message"] == "cut … short"


def test_a_picture_gives_way_to_an_attachment_without_data():
    data = edited("tide.jsonl", lambda part: part.kind == "image", "[picture left out]")
    picture = data["attachments"][1]
    assert (picture["displayName"], picture["omittedReason"]) == ("[picture left out]", "too_large")
    assert "data" not in picture


def test_a_text_that_is_cited_and_thinking_have_no_place_to_be_changed_at():
    parts = [part for message in messages_of("tide.jsonl") for part in message.parts]
    assert next(part for part in parts if part.text.startswith("Fixed:")).place is None
    assert [part.place for part in parts if part.kind == "thinking"] == [None, None]


def test_what_nobody_typed_is_no_request():
    tide = {m.text("text").split("\n")[0]: m.origin for m in messages_of("tide.jsonl") if m.role == "user"}
    assert tide['<skill-context name="tides">'] == "injected"
    assert tide["<system_notification>"] == "injected"
    assert tide[" table.py | 2 +-"] == "injected"  # a command that the user ran
    salt = {m.text("text"): m.origin for m in messages_of("salt.jsonl")}
    assert salt["Continue until all pans are checked."] == "injected"  # the agent drove itself on


def test_an_answer_that_was_split_at_its_thoughts_is_one_message():
    message = next(m for m in messages_of("tide.jsonl") if "c4" in {call.call_id for call in m.calls})
    assert (len(message.records), message.text("text").split("\n")[1]) == (2, "It only reads.")


def test_events_of_an_agent_that_the_session_started_go_with_the_call_that_did_it():
    transcript = loaded(FOLDER / "tide.jsonl").transcripts[0]
    call = next(m.index for m in transcript.messages if "c4" in {part.call_id for part in m.calls})
    inner = [n for n, event in enumerate(events_of(transcript.source)) if event.get("agentId") or "s1" in str(event)]
    assert len(inner) == 5
    assert {transcript.owners[record] for record in inner} == {call}
    assert all("Looking." not in m.text() for m in transcript.messages)


def test_hooks_that_were_told_a_result_are_gone_once_it_is_shortened():
    lines = (FOLDER / "tide.jsonl").read_bytes().splitlines(keepends=True)
    data = b"".join(lines[:21])
    assert data.count(b"table 59") == 3  # the result, its display and what the hook was told
    out = compact(data, target_tokens=700).data
    results = [event["data"] for event in events_of(out) if event["type"] == "tool.execution_complete"]
    assert all(len(result["result"]["content"]) < 3_000 for result in results)
    told = [event["data"]["hookInvocationId"] for event in events_of(out) if event["type"].startswith("hook.")]
    assert told == ["h1", "h1", "h2", "h2"]


def test_events_that_only_tell_how_it_went_can_be_left_out():
    data = (FOLDER / "tide.jsonl").read_bytes()
    out = compact(data, target_tokens=10**6, drop_outside=True).data
    check_events(events_of(out))
    kinds = {event["type"] for event in events_of(data)} - {event["type"] for event in events_of(out)}
    assert {kind.partition("_")[0] for kind in kinds} == {
        "hook.start",
        "hook.end",
        "permission.requested",
        "permission.completed",
        "assistant.turn",
    }


def test_a_compaction_replaces_what_stood_before_it_began():
    source = loaded(FOLDER / "salt.jsonl")
    messages = source.transcripts[0].messages
    (note,) = source.notes
    assert note.kind == "outside_context"
    assert note.detail.startswith("11 records before the last compaction")  # the system prompt is still sent
    texts = [message.text("text") for message in messages]
    assert texts[1] == "Prices in shillings, please. Never in pence."  # said while the compaction ran
    assert (messages[3].origin, messages[3].pinned) == ("summary", True)
    assert "List the salt pans" not in "\n".join(texts)
    assert {"a1", "a2"}.isdisjoint(part.call_id for m in messages for part in m.parts)
    for out in compactions(source.data):
        assert out.splitlines()[:9] == source.data.splitlines()[:9]


def test_what_a_rewind_took_back_is_not_sent_and_passes_through():
    data = (FOLDER / "salt.jsonl").read_bytes()
    undone = data.splitlines()[22:28]
    assert "south" not in "\n".join(m.text() for m in messages_of("salt.jsonl") if m.origin != "request")
    for out in compactions(data):
        assert all(line in out.splitlines() for line in undone[1:])


def test_a_cleared_context_begins_with_what_was_said_then():
    messages = messages_of("weir.jsonl")
    assert [m.role for m in messages[:2]] == ["system", "user"]
    assert (messages[1].text(), messages[1].origin, messages[1].pinned) == (
        "Carry out the plan in weir.md.",
        "injected",
        True,
    )


def test_the_last_of_several_system_prompts_is_the_one_that_is_sent():
    system = [m.text() for m in messages_of("tide.jsonl") if m.role == "system"]
    assert system == ["You are a terminal assistant. Be brief.", "Answer in English."]


def test_what_is_added_is_complete_and_stands_in_the_chain():
    data = (FOLDER / "tide.jsonl").read_bytes()
    before = {event["id"] for event in events_of(data)}
    for role, kind in (("user", "user.message"), ("assistant", "assistant.message")):
        out = compact(data, target_ratio=0.4, strategy="tiered", summary_role=role).data
        check_events(events_of(out))
        new = [event for event in events_of(out) if event["id"] not in before]
        assert new
        assert {event["type"] for event in new} == {kind}
        assert all(event["data"]["content"].startswith("## Session Summary") for event in new)


def test_a_call_without_a_result_gets_one_of_the_agents_own_kind():
    rows = events_of((FOLDER / "salt.jsonl").read_bytes())
    ends = [row for row in rows if row["type"] == "tool.execution_complete"]
    rows.remove(ends[-1])
    out = compact(jsonl(*rows), target_tokens=1_700).data
    (added,) = [event for event in events_of(out) if event["id"] not in {row["id"] for row in rows}]
    assert (added["type"], added["data"]["toolCallId"]) == ("tool.execution_complete", "b4")
    assert (added["data"]["success"], bool(added["data"]["error"]["message"])) == (False, True)


def test_the_context_that_was_left_is_the_one_that_counts():
    transcript = loaded(FOLDER / "tide.jsonl").transcripts[0]
    known = last_count(transcript, FORMATS["copilot-cli"])
    assert (known.tokens, known.tokens_after) == (9421, 0)
    usage: dict[str, Any] = {
        "type": "assistant.usage",
        "data": {"inputTokens": 900, "cacheReadTokens": 800, "outputTokens": 20},
    }
    assert FORMATS["copilot-cli"].usage(usage) == 920
    usage["data"]["initiator"] = "sub-agent"
    assert FORMATS["copilot-cli"].usage(usage) is None


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user.message", "data": {"content": "hi"}},
        {"type": "custom", "data": {"x": 1}, "id": "1", "timestamp": "t"},
        {"type": "message", "id": "m", "timestamp": "t", "message": {"role": "user", "content": "hi"}},
        {"type": "response_item", "payload": {}, "timestamp": "t"},
        {"type": "user", "uuid": "1", "message": {"role": "user", "content": "hi"}, "timestamp": "t"},
        {"type": "human", "data": {"content": "hi", "id": "1"}},
    ],
)
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["copilot-cli"].recognize(value) == 0


def test_events_of_unknown_kinds_are_known_by_their_envelope():
    event: dict[str, Any] = {"type": "future.kind_1", "data": {}, "id": "1", "timestamp": "t", "parentId": None}
    assert FORMATS["copilot-cli"].recognize(event) == 0.7
