"""Cursor: blocks like Anthropic's, without ids; results that may be missing."""

from __future__ import annotations

import pytest

from tests.builders import compact, find_faults, jsonl, load
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded, tried

FILE = CASES / "cursor" / "garden.jsonl"
STAGE = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "cursor"
# counted by hand: messages by role, requests, parts by kind; calls without a result have an empty one
GOLDEN = (
    {"user": 4, "assistant": 8, "tool": 5},
    4,
    {"text": 11, "thinking": 2, "other": 1, "tool_call": 7, "tool_result": 6},
)
GOLDEN_REAL = {
    "large.jsonl": (
        {"user": 3, "assistant": 5, "tool": 2},
        3,
        {"text": 7, "thinking": 1, "tool_call": 2, "tool_result": 2},
    ),
    "small.jsonl": ({"user": 2, "assistant": 2}, 2, {"text": 4, "tool_call": 1}),
    "schema_drift.jsonl": (
        {"user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 2, "thinking": 1, "other": 1, "tool_call": 1, "tool_result": 1},
    ),
    "subagent/parent.jsonl": ({"user": 1, "assistant": 1}, 1, {"text": 2, "tool_call": 1}),
}


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"]


def test_messages_are_those_counted_by_hand():
    source = loaded(FILE)
    assert source.format == "cursor"
    assert {fault.kind for fault in find_faults(source)} <= {"unanswered_call"}
    assert figures_of(source) == GOLDEN


@pytest.mark.skipif(not STAGE.exists(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", GOLDEN_REAL)
def test_real_messages_are_those_counted_by_hand(name):
    source = loaded(STAGE / name)
    assert source.format == "cursor"
    assert figures_of(source) == GOLDEN_REAL[name]
    assert_untouched((STAGE / name).read_bytes())
    list(compactions((STAGE / name).read_bytes()))


def test_it_is_compacted_and_stays_itself():
    assert_untouched(FILE.read_bytes())
    assert len(list(compactions(FILE.read_bytes()))) >= tried() // 2


def test_the_original_is_restored_to_the_byte(tmp_path):
    assert_restored(FILE, tmp_path)


def test_a_result_answers_the_oldest_open_call_of_the_message_before_it():
    messages = loaded(FILE).transcripts[0].messages
    two = next(m for m in messages if len(m.calls) == 2)
    answers = next(m for m in messages[two.index :] if m.results)
    assert [part.call_id for part in two.calls] == [part.call_id for part in answers.results]
    assert len({part.call_id for m in messages for part in m.calls}) == 7


def test_a_call_that_no_result_was_recorded_for_stays_or_goes_with_its_words():
    messages = loaded(FILE).transcripts[0].messages
    empty = [m for m in messages if m.role == "tool" and not m.text() and m.results[0].text == ""]
    assert [m.records for m in empty] == [(5,), (7,)]
    out = compact(FILE.read_bytes(), target_ratio=0.25).data
    assert out.count(b'"tool_result"') <= FILE.read_bytes().count(b'"tool_result"'), "none is made up"
    assert {fault.kind for fault in find_faults(load(out))} <= {"unanswered_call"}


def test_an_anthropic_message_is_none_of_cursors():
    assert load(jsonl({"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"})).format != "cursor"


def test_words_beside_a_result_do_not_part_it_from_its_call():
    call = {"type": "tool_use", "name": "list_events", "input": {"day": "Friday"}}
    both = [{"type": "tool_result", "content": "dentist at 9"}, {"type": "text", "text": "Move it to ten."}]
    records = [
        {"role": role, "message": {"content": content}}
        for role, content in (("user", "What is on?"), ("assistant", [call]), ("user", both))
    ]
    messages = load(jsonl(*records)).transcripts[0].messages
    assert [[part.text for part in m.results] for m in messages if m.results] == [["dentist at 9"]]
    assert messages[1].calls[0].call_id == messages[-1].results[0].call_id
    assert messages[-1].text("text") == "Move it to ten."
