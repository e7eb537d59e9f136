"""pi and OpenClaw: the way from the last entry to the root is the context, from the last compaction on."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from compactor_cli.pipeline.recorded_context import recorded_context
from tests.builders import compact, find_faults, jsonl, last_count, load
from tests.formats.checkers.pi import check_sent, context
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

pytestmark = pytest.mark.one_test_in(2)

FOLDER = CASES / "pi"
FILES = sorted(FOLDER.iterdir())
AGENTS = REAL / "agent-sessions-fixtures" / "stage0" / "agents"
SMALL = [*sorted((AGENTS / "pi").glob("*.jsonl")), *sorted((AGENTS / "openclaw").glob("*.jsonl"))]
LARGE = REAL / "pi" / "large-session.jsonl"
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "branches.jsonl": (
        {"user": 5, "assistant": 11, "tool": 11},
        2,
        {"text": 18, "image": 1, "thinking": 1, "tool_call": 11, "tool_result": 11},
        2,
    ),
    "first-version.jsonl": (
        {"user": 2, "assistant": 9, "tool": 8},
        2,
        {"text": 11, "tool_call": 8, "tool_result": 8},
        0,
    ),
    "openclaw.jsonl": ({"user": 3, "assistant": 8, "tool": 7}, 2, {"text": 11, "tool_call": 7, "tool_result": 7}, 0),
}
GOLDEN_REAL = {
    LARGE: (
        {"user": 88, "assistant": 431, "tool": 373},
        83,
        {"text": 325, "thinking": 1, "tool_call": 373, "tool_result": 373},
        19,
    ),
    AGENTS / "pi" / "small.jsonl": ({"user": 3, "assistant": 2}, 2, {"text": 5}, 0),
    AGENTS / "openclaw" / "large.jsonl": (
        {"user": 1, "assistant": 3, "tool": 2},
        1,
        {"text": 4, "tool_call": 2, "tool_result": 2},
        0,
    ),
    AGENTS / "openclaw" / "schema_drift.jsonl": (
        {"user": 1, "assistant": 1, "tool": 1, "system": 1},
        1,
        {"text": 3, "tool_call": 1, "tool_result": 1},
        0,
    ),
}


def entries_of(data):
    return [json.loads(line) for line in data.splitlines()]


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"], found["failed"]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "pi"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN[name]


@pytest.mark.skipif(not LARGE.exists(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", sorted(GOLDEN_REAL), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_real_messages_and_parts_are_those_counted_by_hand(path):
    source = loaded(path)
    assert source.format == "pi"
    assert figures_of(source) == GOLDEN_REAL[path]


@pytest.mark.parametrize("path", [*FILES, *SMALL], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_output_is_loaded_by_the_agent_with_all_that_is_kept(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data):
        assert out.splitlines()[0] == data.splitlines()[0]
        if path.parent == FOLDER and path.name != "openclaw.jsonl":
            sent = context(entries_of(out))
            check_sent(sent)
            records = {record for m in load(out).transcripts[0].messages for record in m.records}
            lines = entries_of(out)
            assert all(lines[record] in sent for record in records)


@pytest.mark.skipif(not LARGE.exists(), reason="the folder of real transcripts is not here")
def test_a_long_real_session_is_compacted():
    data = LARGE.read_bytes()
    assert_untouched(data)
    for out in compactions(data, ratios=(0.1,)):
        check_sent(context(entries_of(out)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_only_the_active_branch_behind_the_compaction_is_read():
    source = loaded(FOLDER / "branches.jsonl")
    messages = source.transcripts[0].messages
    texts = "\n".join(m.text() for m in messages)
    assert messages[0].text() == "Use the electric lamp. Keep the period at 15 seconds."
    assert messages[0].pinned  # the compaction names it
    summary = next(m for m in messages if m.origin == "summary")
    assert (summary.pinned, summary.text()[:7]) == (True, "## Goal")
    assert "candle" not in texts.lower()
    assert "Plan the lamp" not in texts
    assert "Half an ans" not in texts  # stopped: never sent again
    assert "aside" not in texts  # kept out by the user
    bash = next(m for m in messages if m.text().startswith("Ran `tail"))
    assert (bash.role, bash.origin, bash.parts[-1].text) == ("user", "injected", "Command exited with code 2")


def test_other_branches_and_what_the_compaction_left_out_pass_through():
    data = (FOLDER / "branches.jsonl").read_bytes()
    before = data.splitlines()
    for out in compactions(data):
        assert out.splitlines()[:8] == before[:8]


def test_chains_are_closed_over_gaps_and_new_entries_stand_in_them():
    data = (FOLDER / "first-version.jsonl").read_bytes()
    rows = entries_of(data)
    for at, row in enumerate(rows[1:], 1):
        row.update(id=f"{at:08x}", parentId=f"{at - 1:08x}" if at > 1 else None)
    out = compact(jsonl(*rows), target_ratio=0.25, strategy="tiered").data
    sent = context(entries_of(out))
    assert len(sent) == len(entries_of(out)) - 1 < len(rows) - 1
    assert any("## Session Summary" in json.dumps(entry) for entry in sent)


def test_a_signed_text_is_never_changed():
    source = loaded(FOLDER / "branches.jsonl")
    signed = next(p for m in source.transcripts[0].messages for p in m.parts if p.text == "They agree, signed.")
    assert signed.place is None


def test_openclaw_puts_a_block_of_metadata_before_the_words_of_the_user():
    messages = loaded(FOLDER / "openclaw.jsonl").transcripts[0].messages
    assert [m.origin for m in messages if m.role == "user"] == ["request", "injected", "request"]
    assert {p.call_id for m in messages for p in m.results} == {f"call_{k}a|fc_{k}b" for k in range(7)}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "session", "harness": "x", "id": "s", "cwd": "/"},
        {"type": "message", "message": {"role": "user", "content": "hi"}},
        {
            "type": "message",
            "id": "m",
            "timestamp": "t",
            "message": {"role": "user", "content": [{"type": "tool_result"}]},
        },
        {"type": "user.message", "data": {"content": "hi"}, "id": "1", "timestamp": "t", "parentId": None},
        {"type": "user", "uuid": "1", "message": {"role": "user", "content": "hi"}, "timestamp": "t"},
        {"type": "response_item", "payload": {}, "timestamp": "t"},
    ],
)
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["pi"].recognize(value) == 0


def test_a_message_entry_that_holds_no_message_passes_through():
    data = (FOLDER / "branches.jsonl").read_bytes()
    rows = entries_of(data)
    empty = {"type": "message", "id": "0badf00d", "parentId": rows[-1]["id"], "timestamp": rows[-1]["timestamp"]}
    assert len(load(jsonl(*rows, empty)).transcripts[0].messages) == len(load(data).transcripts[0].messages)


def test_the_last_count_of_the_provider_is_found():
    known = FORMATS["pi"]
    entries = entries_of((FOLDER / "first-version.jsonl").read_bytes())
    answers = [e["message"] for e in entries if e.get("message", {}).get("role") == "assistant"]
    answers[-1]["usage"] = {"input": 7, "output": 231, "cacheRead": 1684, "cacheWrite": 9518}
    (transcript,) = load(jsonl(*entries)).transcripts
    assert last_count(transcript, known).tokens == 11440
    assert known.usage({"message": {"usage": {"input": 1, "output": 1, "totalTokens": 90}}}) == 90
    answers[-1]["usage"] = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)  # a try that was stopped
    assert known.usage({"message": answers[-1]}) is None


def test_counts_of_before_a_compaction_do_not_count():
    entries = entries_of((FOLDER / "branches.jsonl").read_bytes())
    (transcript,) = load(jsonl(*entries)).transcripts
    boundary = next(m for m in transcript.messages if m.origin == "summary")
    assert any(m.role == "assistant" for m in transcript.messages[: boundary.index])
    kept = entries[: boundary.records[0] + 1]
    assert recorded_context(load(jsonl(*kept)).transcripts[0], FORMATS["pi"]) is None


def test_an_entry_without_its_message_passes_through():
    entries = entries_of((FOLDER / "branches.jsonl").read_bytes())
    before = load(jsonl(*entries)).transcripts[0].messages
    entries.append({**entries[-1], "type": "message", "message": None, "id": "aaaa0000", "parentId": entries[-1]["id"]})
    after = load(jsonl(*entries)).transcripts[0].messages
    assert [m.text() for m in after] == [m.text() for m in before]
