"""Grok Build: rows of a chat history; thoughts and calls of the provider belong to the answer behind them."""

from __future__ import annotations

import json

import pytest

from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded, tried

FILE = CASES / "grok" / "tides.jsonl"
STAGE = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "grok"
# counted by hand: messages by role, requests, parts by kind
GOLDEN = (
    {"system": 1, "user": 5, "assistant": 11, "tool": 9},
    4,
    {"text": 15, "thinking": 5, "other": 1, "tool_call": 9, "tool_result": 9, "image": 1},
)
GOLDEN_REAL = {
    STAGE / "chat_history.jsonl": (
        {"system": 1, "user": 3, "assistant": 3, "tool": 2},
        2,
        {"text": 5, "thinking": 2, "other": 1, "tool_call": 2, "tool_result": 2, "image": 1},
    ),
    STAGE / "subagent" / "chat_history.jsonl": (
        {"system": 1, "user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 4, "tool_call": 1, "tool_result": 1},
    ),
    REAL / "grok" / "019f6000-0000-7000-8000-000000000001" / "chat_history.jsonl": (
        {"system": 1, "user": 3, "assistant": 2, "tool": 1},
        2,
        {"text": 6, "thinking": 1, "other": 1, "tool_call": 1, "tool_result": 1},
    ),
}


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"]


def check_rows(rows):
    """Every call is answered before anything else is said, and every answer has its call."""
    waiting: list[str] = []
    for row in rows:
        if row["type"] == "tool_result":
            waiting.remove(row["tool_call_id"])
            continue
        assert not waiting
        waiting = [call["id"] for call in row.get("tool_calls") or ()]


def test_rows_are_those_counted_by_hand():
    source = loaded(FILE)
    assert source.format == "grok"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN


@pytest.mark.skipif(not STAGE.exists(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", GOLDEN_REAL, ids=lambda path: path.parent.name)
def test_real_rows_are_those_counted_by_hand(path):
    source = loaded(path)
    assert source.format == "grok"
    assert figures_of(source) == GOLDEN_REAL[path]
    assert_untouched(path.read_bytes())
    for out in compactions(path.read_bytes()):
        check_rows([json.loads(line) for line in out.splitlines()])


def test_every_output_has_its_calls_answered():
    data = FILE.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    assert len(outputs) >= tried() // 2
    for out in outputs:
        check_rows([json.loads(line) for line in out.splitlines()])


def test_the_original_is_restored_to_the_byte(tmp_path):
    assert_restored(FILE, tmp_path)


def test_what_was_thought_goes_with_its_answer_and_is_never_changed():
    messages = loaded(FILE).transcripts[0].messages
    first = next(m for m in messages if m.role == "assistant")
    assert [part.kind for part in first.parts] == ["thinking", "text", "tool_call", "tool_call"]
    assert len(first.records) == 2
    rows = {line for line in FILE.read_bytes().splitlines() if b'"reasoning"' in line}
    for ratio in (0.5, 0.25):
        kept = [
            line for line in compact(FILE.read_bytes(), target_ratio=ratio).data.splitlines() if b'"reasoning"' in line
        ]
        assert rows.issuperset(kept)


def test_what_the_user_says_meanwhile_is_a_request_and_what_the_agent_puts_there_is_not():
    messages = loaded(FILE).transcripts[0].messages
    requests = [m.text() for m in messages if m.origin == "request"]
    assert "also keep the --json flag working" in requests
    assert not any("user_info" in text for text in requests)
    (context,) = (m for m in messages if "user_info" in m.text())
    assert context.origin == "injected"


def test_a_summary_is_a_row_that_the_agent_did_not_get_from_the_user():
    out = compact(FILE.read_bytes(), target_ratio=0.25, strategy="tiered").data
    added = [json.loads(line) for line in out.splitlines() if b"## Session Summary" in line]
    assert added
    assert all(row["type"] == "user" and row["synthetic_reason"] for row in added)
    assert any(m.origin == "summary" for m in load(out).transcripts[0].messages)
