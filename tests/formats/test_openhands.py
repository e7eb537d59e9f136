"""OpenHands: events of its SDK, a tree since it has branches, and those of 0.x; condensations; rows with a history."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, jsonl, last_count, listing_output, load
from tests.formats.checkers.openhands import check_old, view
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

pytestmark = pytest.mark.one_test_in(2)

FOLDER = CASES / "openhands"
FILES = sorted(FOLDER.iterdir())
NAMES = (
    "events-1.x.jsonl",
    "events-0.x.basic.json",
    "events-0.x.rfc.json",
    "eval-output.jsonl",
    "resolver-output.jsonl",
)
REAL_FILES = [REAL / "openhands" / name for name in NAMES] if (REAL / "openhands").is_dir() else []
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "sdk.jsonl": (
        {"system": 1, "user": 4, "assistant": 8, "tool": 7},
        2,
        {"text": 15, "image": 1, "thinking": 1, "tool_call": 7, "tool_result": 7},
        4,
    ),
    "tree.jsonl": (
        {"system": 1, "user": 2, "assistant": 6, "tool": 4},
        2,
        {"text": 9, "tool_call": 4, "tool_result": 4},
        1,
    ),
    "events-0.x.json": (
        {"system": 1, "user": 6, "assistant": 7, "tool": 6},
        2,
        {"text": 16, "tool_call": 6, "tool_result": 6},
        3,
    ),
    "rows.jsonl": ({"user": 2, "assistant": 8, "tool": 6}, 2, {"text": 10, "tool_call": 6, "tool_result": 6}, 1),
}
GOLDEN_REAL = {
    "events-1.x.jsonl": (
        {"assistant": 2, "tool": 3},
        0,
        {"thinking": 2, "text": 2, "tool_call": 2, "tool_result": 3},
        3,
    ),
    "events-0.x.basic.json": (
        {"user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 3, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "events-0.x.rfc.json": (
        {"system": 1, "user": 2, "assistant": 2, "tool": 1},
        1,
        {"text": 4, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "eval-output.jsonl": (
        {"system": 1, "user": 2, "assistant": 23, "tool": 22},
        1,
        {"text": 29, "tool_call": 22, "tool_result": 22},
        5,
    ),
    "resolver-output.jsonl": (
        {"user": 2, "assistant": 26, "tool": 24},
        2,
        {"text": 28, "tool_call": 24, "tool_result": 24},
        0,
    ),
}


def events_of(data):
    """The events of lines, of a list, or of all rows."""
    if data.lstrip().startswith(b"["):
        return json.loads(data)
    values = [json.loads(line) for line in data.splitlines() if line.strip()]
    return [event for value in values for event in value["history"]] if "history" in values[0] else values


def check(data):
    events = events_of(data)
    return view(events) if "kind" in events[0] else check_old(events)


def messages_of(name):
    return loaded(FOLDER / name).transcripts[0].messages


def result(messages, call):
    return next(p for m in messages for p in m.results if p.call_id == call)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "openhands"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", NAMES)
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(REAL / "openhands" / name)
    found = figures(source)
    assert source.format == "openhands"
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_agent_would_load(path):
    data = path.read_bytes()
    assert_untouched(data)
    if find_faults(load(data)) == []:
        check(data)
    for out in compactions(data):
        check(out)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_the_model_gets_what_the_agent_would_send():
    messages = messages_of("sdk.jsonl")
    texts = "\n".join(p.text for m in messages for p in m.parts)
    assert [m.role for m in messages[:2]] == ["system", "user"]
    assert "Hosts: none" in messages[0].text()
    assert "metres above datum" in messages[1].text()  # what a skill added to the request
    assert result(messages, "call-04").failed is True  # exit code 1
    assert result(messages, "call-06").text == "Action rejected: I said: do not delete anything"
    assert result(messages, "call-08").text.startswith("Tool 'termnal' not found.")
    assert "usage_to_metrics" not in texts
    hook = next(m for m in messages if "stop hook" in m.text())
    assert (hook.role, hook.origin) == ("user", "injected")


def test_calls_of_one_answer_are_one_message():
    both = next(m for m in messages_of("sdk.jsonl") if len(m.calls) == 2)
    assert [p.kind for p in both.parts] == ["thinking", "text", "tool_call", "tool_call"]
    assert len(both.records) == 2
    assert [part.place is None for part in both.parts] == [True, False, False, False]


@pytest.mark.parametrize(("name", "word"), [("sdk.jsonl", "USER_CONTEXT"), ("events-0.x.json", "1204 lines")])
def test_what_a_condensation_forgot_is_out_of_context_and_stays(name, word):
    data = (FOLDER / name).read_bytes()
    source = load(data)
    (transcript,) = source.transcripts
    summary = next(m for m in transcript.messages if m.origin == "summary")
    assert summary.pinned
    assert word in summary.text()
    hidden = [transcript.raw(at) for at in sorted(transcript.outside) if b"gauge" in transcript.raw(at)]
    assert hidden
    assert not any(
        listing_name in m.text() for m in transcript.messages for listing_name in ("harbour/045", "seed/045")
    )
    for out in compactions(data):
        assert all(raw in out for raw in hidden)
        assert any(m.pinned and m.origin == "summary" for m in load(out).transcripts[0].messages)


def test_a_summary_that_a_later_condensation_forgot_is_not_sent():
    events = events_of((FOLDER / "sdk.jsonl").read_bytes())
    first = next(event for event in events if event["kind"] == "Condensation")
    again = {
        **first,
        "id": "0b5effff-0000-4000-8000-000000000000",
        "forgotten_event_ids": [f"{first['id']}-summary"],
        "summary": "NEW: all of it.",
    }
    events.insert(events.index(first) + 1, again)
    messages = load(jsonl(*events)).transcripts[0].messages
    assert [m.text() for m in messages if m.origin == "summary"] == ["NEW: all of it."]
    assert [one["text"] for one in view(events) if one["kind"] == "summary"] == ["NEW: all of it."]


def test_a_condensation_without_a_summary_only_forgets():
    events = events_of((FOLDER / "sdk.jsonl").read_bytes())
    condensation = next(event for event in events if event["kind"] == "Condensation")
    del condensation["summary"], condensation["summary_offset"]
    (transcript,) = load(jsonl(*events)).transcripts
    assert not any(m.origin == "summary" for m in transcript.messages)
    assert not any(p.call_id == "call-01" for m in transcript.messages for p in m.calls)
    view(events)


def test_only_the_branch_of_the_last_event_counts():
    data = (FOLDER / "tree.jsonl").read_bytes()
    (transcript,) = load(data).transcripts
    assert not any("rm timetable.py" in m.text() for m in transcript.messages)
    assert len([at for at in transcript.outside if b"removed" in transcript.raw(at)]) == 2
    summarized = [out for out in compactions(data) if b"Session Summary" in out]
    assert summarized
    for out in summarized:
        events = events_of(out)
        assert any("Session Summary" in json.dumps(one) for one in view(events))


def test_outside_records_can_be_left_out(tmp_path):
    for name in ("sdk.jsonl", "tree.jsonl"):
        out = compact((FOLDER / name).read_bytes(), target_ratio=0.25, drop_outside=True).data
        assert b"rm timetable.py" not in out
        assert b"execution_status" not in out
        view(events_of(out))


def test_events_of_kinds_that_are_not_known_are_not_left_out():
    lines = (FOLDER / "sdk.jsonl").read_bytes().splitlines()
    state = next(json.loads(line) for line in lines if b"ConversationStateUpdateEvent" in line)
    future = jsonl({**state, "id": "ffff", "kind": "FutureEvent"}).strip()
    (transcript,) = load(b"\n".join([*lines[:4], future, *lines[4:]])).transcripts
    kinds = {json.loads(transcript.raw(at))["kind"] for at in transcript.outside}
    assert "ConversationStateUpdateEvent" in kinds
    assert "FutureEvent" not in kinds


def test_a_call_that_was_cut_is_cut_wherever_the_event_repeats_it():
    out = compact((FOLDER / "sdk.jsonl").read_bytes(), target_tokens=2_800, strategy="adaptive").data
    event = next(e for e in events_of(out) if e.get("tool_call_id") == "call-05" and e["kind"] == "ActionEvent")
    arguments = json.loads(event["tool_call"]["arguments"])
    assert "left out" in arguments["file_text"] or "lines ·" in arguments["file_text"]
    assert event["action"]["file_text"] == arguments["file_text"]
    old = compact((FOLDER / "events-0.x.json").read_bytes(), target_tokens=1_000, strategy="adaptive").data
    event = next(e for e in events_of(old) if e.get("action") == "edit")
    answer = event["tool_call_metadata"]["model_response"]["choices"][0]["message"]
    assert event["args"]["file_text"] == json.loads(answer["tool_calls"][0]["function"]["arguments"])["file_text"]
    assert listing_output("insert", 110) not in json.dumps(event)


def test_a_thought_that_was_cut_is_cut_in_the_arguments_too():
    events = events_of((FOLDER / "events-0.x.json").read_bytes())
    event = next(e for e in events if e.get("action") == "edit")
    known = FORMATS["openhands"]
    (transcript,) = load(json.dumps(events).encode()).transcripts
    part = next(p for m in transcript.messages for p in m.parts if p.text == "I write the script that moves the rows.")
    changes = known.edits(json.dumps(event).encode(), [(part, "[cut]")])
    assert changes[("args", "thought")] == '"[cut]"'
    assert changes[part.place.path] == '"[cut]"'


def test_a_result_that_was_cut_is_cut_in_its_copies():
    events = events_of((FOLDER / "sdk.jsonl").read_bytes())
    at = next(n for n, e in enumerate(events) if e.get("tool_call_id") == "call-05" and "observation" in e)
    events[at]["observation"]["content"][0]["text"] = whole = listing_output("diff", 300)
    out = compact(jsonl(*events), target_tokens=2_700, strategy="adaptive").data
    seen = next(e for e in events_of(out) if e.get("tool_call_id") == "call-05" and "observation" in e)["observation"]
    assert seen["new_content"] == seen["content"][0]["text"]
    assert len(seen["new_content"]) < len(whole)


def test_events_without_ids_answer_in_order():
    messages = messages_of("rows.jsonl")
    assert [(m.role, len(m.calls), len(m.results)) for m in messages[1:4]] == [
        ("assistant", 1, 0),
        ("tool", 0, 1),
        ("assistant", 1, 0),
    ]
    assert json.loads(messages[3].calls[0].text)["code"].startswith("with open('LICENSE'")
    assert messages[-1].text() == "The licence is in place."


def test_what_the_user_ran_and_what_the_agent_looked_up_is_no_request():
    messages = messages_of("events-0.x.json")
    ran = next(m for m in messages if "git status" in m.text())
    output = next(m for m in messages if "nothing to commit" in m.text())
    knows = next(m for m in messages if "WAL mode for the catalogue" in m.text())
    assert {(m.role, m.origin) for m in (ran, output, knows)} == {("user", "injected")}
    assert "genus and species" in knows.text()


def test_a_picture_counts_once_wherever_it_stands():
    events = events_of((FOLDER / "events-0.x.json").read_bytes())
    events[1]["args"]["image_urls"] = ["data:image/png;base64,iVBORw0KGgo"]
    request = load(json.dumps(events).encode()).transcripts[0].messages[1]
    assert sum(part.images for part in request.parts) == 1


def test_the_last_count_of_the_provider_is_found():
    (sdk,) = loaded(FOLDER / "sdk.jsonl").transcripts
    (old,) = loaded(FOLDER / "events-0.x.json").transcripts
    # of the model that works, not of the one that condenses; it stands before the answer that it counted
    assert last_count(sdk, FORMATS["openhands"]).tokens == 6400
    assert sdk.messages[last_count(sdk, FORMATS["openhands"]).message].calls[0].call_id == "call-09"
    assert last_count(old, FORMATS["openhands"]).tokens == 9050


def test_a_call_without_a_result_gets_one_that_the_agent_can_load():
    for name in ("sdk.jsonl", "events-0.x.json"):
        events = events_of((FOLDER / name).read_bytes())
        lost = next(
            e for e in events if (e.get("tool_call_id") == "call-05" and "observation" in e) or e.get("id") == 18
        )
        events.remove(lost)
        data = jsonl(*events) if name == "sdk.jsonl" else json.dumps(events).encode()
        out = compact(data, target_ratio=0.9).data
        assert find_faults(load(out)) == []
        check(out)


def test_records_of_others_are_not_claimed():
    known = FORMATS["openhands"]
    assert known.recognize({"action": "ls", "observation": "a", "response": "b", "state": "{}", "thought": ""}) == 0
    assert known.recognize({"step_id": 1, "source": "agent", "message": "", "observation": {"results": []}}) == 0
    assert known.recognize({"kind": "main", "sessionId": "s"}) == 0
    assert known.recognize({"role": "user", "content": "hi", "action": "message"}) == 0
