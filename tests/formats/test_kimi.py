"""Kimi CLI: messages and rows of its own; Kimi Code: a log that is replayed, with compactions, undo and clearing."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, jsonl, last_count, listing_output, load, values_of
from tests.formats.checkers.kimi import context, replay
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

pytestmark = pytest.mark.one_test_in(2)

FOLDER = CASES / "kimi"
FILES = sorted(FOLDER.iterdir())
FIXTURES = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "kimi"
REAL_FILES = (
    [
        REAL / "kimi" / "context_read_1.jsonl",
        *(FIXTURES / f"{name}.jsonl" for name in ("assistant_tools", "small", "subagent_agent-0")),
    ]
    if FIXTURES.is_dir()
    else []
)
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "context.jsonl": (
        {"system": 1, "user": 5, "assistant": 7, "tool": 6},
        2,
        {"text": 12, "image": 1, "thinking": 1, "tool_call": 6, "tool_result": 6},
        1,
    ),
    "wire.jsonl": (
        {"system": 1, "user": 7, "assistant": 6, "tool": 5},
        5,
        {"text": 15, "image": 1, "thinking": 1, "tool_call": 5, "tool_result": 5},
        1,
    ),
    "wire-tail.jsonl": (
        {"system": 1, "user": 3, "assistant": 4, "tool": 2},
        2,
        {"text": 8, "tool_call": 2, "tool_result": 2},
        0,
    ),
}
GOLDEN_REAL = {
    "context_read_1.jsonl": (
        {"user": 1, "assistant": 15, "tool": 14},
        1,
        {"text": 15, "tool_call": 14, "tool_result": 14},
        0,
    ),
    # compacted at the end: the prompts and the summary are left
    "assistant_tools.jsonl": ({"system": 1, "user": 9}, 8, {"text": 10}, 0),
    "small.jsonl": ({"system": 1, "user": 3}, 3, {"text": 4}, 0),
    "subagent_agent-0.jsonl": (
        {"system": 1, "user": 1, "assistant": 3, "tool": 2},
        1,
        {"text": 3, "thinking": 3, "tool_call": 2, "tool_result": 2},
        0,
    ),
}


def check(data):
    records = values_of(data)
    return replay(records) if "type" in records[0] else context(records)


def transcript_of(name):
    return loaded(FOLDER / name).transcripts[0]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "kimi"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.name)
def test_real_messages_and_parts_are_those_counted_by_hand(path):
    source = loaded(path)
    found = figures(source)
    assert source.format == "kimi"
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[path.name]


@pytest.mark.drawn(7)
@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_agent_would_load(path):
    data = path.read_bytes()
    assert_untouched(data)
    check(data)
    for out in compactions(data):
        check(out)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


@pytest.mark.parametrize("name", ["wire.jsonl", "wire-tail.jsonl"])
def test_the_messages_are_those_of_the_replay(name):
    """All of them, but for the order of a compaction's summary and of what the user said between calls."""
    history = replay(values_of((FOLDER / name).read_bytes()))
    messages = [m for m in transcript_of(name).messages if m.role != "system"]
    texts = [next((p.text for p in m.parts if p.kind in ("text", "tool_result")), "") for m in messages]
    assert sorted(texts) == sorted(one["text"].strip() for one in history)
    called = [p.call_id for m in messages for p in m.calls]
    assert called == [call for one in history for call in one["calls"]]


def test_what_the_agent_says_under_the_role_user_is_no_request():
    messages = transcript_of("context.jsonl").messages
    checkpoint = next(m for m in messages if "CHECKPOINT" in m.text())
    picture = next(m for m in messages if any(p.kind == "image" for p in m.parts))
    assert (checkpoint.origin, picture.origin) == ("injected", "injected")
    reminder = next(m for m in transcript_of("wire.jsonl").messages if "TodoList" in m.text())
    assert reminder.origin == "injected"


def test_a_picture_that_the_user_sends_alone_is_a_request():
    rows = values_of((FOLDER / "context.jsonl").read_bytes())
    rows.append({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]})
    assert load(jsonl(*rows)).transcripts[0].messages[-1].origin == "request"


def test_the_message_that_a_compaction_begins_with_stays():
    data = (FOLDER / "context.jsonl").read_bytes()
    summary = next(m for m in transcript_of("context.jsonl").messages if m.origin == "summary")
    assert (summary.pinned, summary.parts[1].text[:5]) == (True, "Goal:")
    assert all(b"Previous context has been compacted" in out for out in compactions(data))


def test_what_a_compaction_an_undo_or_a_clearing_took_away_passes_through():
    data = (FOLDER / "wire.jsonl").read_bytes()
    source = load(data)
    (transcript,) = source.transcripts
    texts = "\n".join(m.text() for m in transcript.messages)
    for gone in ("Forty hives", "I delete.", "rm -r out"):
        assert gone not in texts
        assert all(gone.encode() in out for out in compactions(data))
    assert "An old question" not in "\n".join(m.text() for m in transcript_of("wire-tail.jsonl").messages)


def test_prompts_that_a_compaction_kept_stay_word_for_word():
    data = (FOLDER / "wire.jsonl").read_bytes()
    kept = [m for m in transcript_of("wire.jsonl").messages if m.pinned]
    assert [m.origin for m in kept] == ["request", "request", "summary"]
    assert all(p.place is None for m in kept[:2] for p in m.parts)
    for out in compactions(data):
        assert [one["text"] for one in replay(values_of(out))[:2]] == [m.text() for m in kept[:2]]


def test_the_oldest_prompts_are_kept_where_the_compaction_says_so():
    records = values_of((FOLDER / "wire.jsonl").read_bytes())
    at = next(n for n, one in enumerate(records) if one["type"] == "context.apply_compaction")
    asked = {"role": "user", "content": [{"type": "text", "text": "In between."}], "toolCalls": []}
    records.insert(at - 10, {"type": "context.append_message", "message": asked, "time": records[at]["time"]})
    records[at + 1] |= {"keptUserMessageCount": 2, "keptHeadUserMessageCount": 1}
    messages = load(jsonl(*records)).transcripts[0].messages
    assert [m.text() for m in messages if m.pinned][:2] == [
        "Which hives lost weight this winter?",
        "Forget the picture; use the scales only.",
    ]


def test_what_followed_the_summarized_messages_is_kept_by_older_compactions():
    data = (FOLDER / "wire-tail.jsonl").read_bytes()
    assert transcript_of("wire-tail.jsonl").messages[1].text() == "Darkest first."
    # the agent counts the messages before it: none of them can be left out
    out = compact(data, target_ratio=0.25, drop_outside=True).data
    assert b"Thirty glasses." in out
    replay(values_of(out))
    assert b"llm.request" not in out


def test_outside_records_can_be_left_out():
    out = compact((FOLDER / "wire.jsonl").read_bytes(), target_ratio=0.25, drop_outside=True).data
    assert b"rm -r out" not in out.replace(b"Running: rm -r out", b"")
    assert b"context.undo" not in out
    history = replay(values_of(out))
    assert history[0]["text"] == "Which hives lost weight this winter?"


def test_an_answer_is_kept_with_all_its_events_or_not_at_all():
    data = (FOLDER / "wire.jsonl").read_bytes()
    both = next(m for m in transcript_of("wire.jsonl").messages if len(m.calls) == 2)
    lines = data.splitlines()
    own = [lines[record] for record in both.records]
    assert {json.loads(line)["event"]["type"] for line in own} == {
        *("step.begin", "content.part", "tool.call", "step.end"),
    }
    for out in compactions(data):
        uuid = json.loads(own[0])["event"]["uuid"].encode()
        assert out.count(uuid) in (0, data.count(uuid))


def test_the_prompt_that_repeats_a_request_goes_with_it():
    data = (FOLDER / "wire.jsonl").read_bytes()
    records = values_of(data)
    at = next(n for n, one in enumerate(records) if one["type"] == "turn.prompt" and "losses" in str(one["input"]))
    asked, message = records[at], records[at + 1]["message"]
    asked["input"][0]["text"] = message["content"][0]["text"] = f"Make a list.\n{listing_output('rule', 400)}"
    prompts = [
        [asked in values_of(out), message in [one.get("message") for one in values_of(out)]]
        for target in (3000, 9000)
        for out in [compact(jsonl(*records), target_tokens=target, strategy="adaptive").data]
    ]
    assert prompts == [[False, False], [True, True]]


def test_a_call_that_was_cut_is_cut_in_its_display():
    data = (FOLDER / "wire.jsonl").read_bytes()
    known = FORMATS["kimi"]
    part = next(p for m in transcript_of("wire.jsonl").messages for p in m.calls if p.name == "Write")
    raw = transcript_of("wire.jsonl").raw(part.place.record)
    new = json.dumps({"path": "losses.csv", "content": "[cut]"})
    changes = known.edits(raw, [(part, new)])
    assert changes == {("event", "args"): new, ("event", "display", "content"): '"[cut]"'}
    assert data.count(b"lost hive 099") == 2


def test_the_last_count_of_the_provider_is_found():
    known = FORMATS["kimi"]
    assert last_count(transcript_of("wire.jsonl"), known).tokens == 38040
    found = last_count(transcript_of("context.jsonl"), known)
    assert (found.tokens, found.tokens_after) == (17860, 0)


def test_a_call_without_a_result_gets_one():
    for name, wanted in (("context.jsonl", "Shell:5"), ("wire.jsonl", "Read_2")):
        records = values_of((FOLDER / name).read_bytes())
        lost = [r for r in records if r.get("tool_call_id") == wanted]
        lost += [r for r in records if r.get("event", {}).get("parentUuid") == wanted]
        records.remove(lost[0])
        out = compact(jsonl(*records), target_ratio=0.9).data
        assert find_faults(load(out)) == []
        check(out)


def test_chats_of_others_are_not_claimed():
    known = FORMATS["kimi"]
    assert load(jsonl({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"})).format != "kimi"
    assert known.recognize({"type": "context.other", "data": {}}) == 0
    assert known.recognize({"type": "event_msg", "payload": {}, "timestamp": "2026"}) == 0
