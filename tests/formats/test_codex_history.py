"""Codex: histories that were replaced, turns that were taken back, and what is no longer sent."""

from __future__ import annotations

import json

import pytest

from tests.builders import (
    codex_event,
    codex_exchanges,
    codex_item,
    codex_meta,
    codex_says,
    compact,
    find_faults,
    jsonl,
    lines_of,
    load,
    prose,
    read_records,
    values_of,
)
from tests.formats.checkers.codex import check_history, resumed
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

pytestmark = pytest.mark.one_test_in(2)

ORRERY = CASES / "codex" / "orrery.jsonl"
ROLLOUTS = REAL / "codex"
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    ORRERY: (
        {"user": 6, "assistant": 7, "tool": 3},
        4,
        {"text": 8, "image": 1, "thinking": 1, "tool_call": 3, "tool_result": 3, "other": 1},
        1,
    ),
    ROLLOUTS / "019ed836-b1da-78f1-8a0c-e598363d10f4.jsonl": (
        {"system": 1, "user": 3, "assistant": 40, "tool": 21},
        2,
        {"text": 17, "thinking": 9, "tool_call": 23, "tool_result": 21},
        0,
    ),
    ROLLOUTS / "019eecb9-cc3a-73c2-814a-dd4f8ced7545.jsonl": (
        {"system": 1, "user": 18, "assistant": 289, "tool": 148},
        16,
        {"text": 87, "thinking": 66, "tool_call": 149, "tool_result": 148, "other": 11},
        0,
    ),
    ROLLOUTS / "019f15f7-b472-7bc3-8651-5547781e25cf.jsonl": (
        {"system": 2, "user": 4, "assistant": 166, "tool": 98},
        3,
        {"text": 44, "thinking": 35, "tool_call": 98, "tool_result": 98},
        0,
    ),
}


def present(path):
    if not path.exists():
        pytest.skip("the folder of real transcripts is not here")
    return path


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_messages_and_parts_are_those_counted_by_hand(path):
    source = loaded(present(path))
    found = figures(source)
    assert source.format == "codex"
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[path]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_output_is_resumed_with_all_that_is_kept(path):
    data = present(path).read_bytes()
    assert_untouched(data)
    large = len(data) > 200_000
    in_flight = check_history(resumed(values_of(data))[1])
    for out in compactions(data, ratios=(0.1,) if large else (0.25, 0.1)):
        thread, history = resumed(values_of(out))
        assert check_history(history) <= in_flight
        transcript = load(out).transcripts[0]
        assert thread == transcript.session_id
        read = [json.loads(transcript.raw(m.records[0]))["payload"] for m in transcript.messages]
        assert [item for item in history if item["type"] != "compaction"] == read


def test_the_original_is_restored_to_the_byte(tmp_path):
    assert_restored(ORRERY, tmp_path)


def item(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def replacing(*items, message=""):
    payload = {"message": message, "replacement_history": list(items), "window_id": 1}
    return {"timestamp": "2026-03-02T09:30:00Z", "type": "compacted", "payload": payload}


def test_the_items_of_a_replaced_history_are_messages():
    call = {"type": "function_call", "name": "ls", "arguments": "{}", "call_id": "c"}
    result = {"type": "function_call_output", "call_id": "c", "output": "a.txt"}
    history = [item("user", "The old request."), call, result, item("assistant", "It is there.")]
    data = jsonl(codex_meta(), *codex_exchanges(2), replacing(*history, message="Not sent."), codex_says("user", "On."))
    source = load(data)
    messages = source.transcripts[0].messages
    assert [(m.role, m.text()) for m in messages] == [
        ("user", "The old request."),
        ("assistant", "{}"),
        ("tool", "a.txt"),
        ("assistant", "It is there."),
        ("user", "On."),
    ]
    assert find_faults(source) == []
    assert [note.kind for note in source.notes] == ["outside_context"]


def test_a_replaced_history_is_cut_like_any_other():
    """What is kept of it stands behind the record, which holds none any more: to the agent it is the same history."""
    roles = ("user", "assistant") * 8
    items = [item(role, f"{role} {n}: " + prose(f"p{n}", 40)) for n, role in enumerate(roles)]
    old = list(codex_exchanges(3))
    data = jsonl(codex_meta(), *old, replacing(*items), codex_says("user", "Go on."))
    out = compact(data, target_ratio=0.3).data
    values = values_of(out)
    assert values[: len(old) + 1] == values_of(data)[: len(old) + 1]
    assert values[len(old) + 1]["payload"]["replacement_history"] == []
    assert all(value["type"] == "response_item" for value in values[len(old) + 2 :])
    again = load(out).transcripts[0]
    assert 0 < again.tokens <= load(data).tokens * 0.3
    assert "Go on." in again.messages[-1].text()


def test_a_compacted_record_replaces_all_history_before_it():
    compacted = {
        "timestamp": "2026-03-02T09:30:00Z",
        "type": "compacted",
        "payload": {"message": "What happened so far."},
    }
    old = list(codex_exchanges(6))
    data = jsonl(codex_meta(), *old, compacted, *codex_exchanges(14))
    source = load(data)
    messages = source.transcripts[0].messages
    # without a list of items the agent also sends what the user said before
    assert [m.role for m in messages[:7]] == ["user"] * 7
    assert [m.origin for m in messages[:7]] == ["request"] * 6 + ["summary"]
    assert len(messages) == 6 + 29
    assert messages[6].pinned
    assert "What happened so far." in messages[6].text()
    assert "Answer" not in "".join(m.text() for m in messages[:7])
    out = lines_of(compact(data, target_ratio=0.4).data)
    passing = [line for line in lines_of(data)[: len(old) + 2] if b'"user"' not in line and b"user_message" not in line]
    assert [line for line in out if line in passing] == passing
    assert len(out) < len(lines_of(data))


def test_of_what_the_user_said_before_a_compaction_the_newest_counts():
    long = codex_says("user", "An old request. " + "x" * 80_000)
    compacted = {"timestamp": "2026-03-02T09:30:00Z", "type": "compacted", "payload": {"message": "So far."}}
    messages = read_records(codex_meta(), long, codex_says("user", "A newer one."), compacted)
    assert [m.text() for m in messages] == ["A newer one.", "So far."]


def test_turns_that_were_taken_back_are_out_of_the_context():
    back = codex_event(type="thread_rolled_back", num_turns=2)
    old, new = list(codex_exchanges(4)), [codex_says("user", "Go on."), codex_says("assistant", "Yes.")]
    data = jsonl(codex_meta(), *old, back, *new)
    texts = [m.text()[:9] for m in load(data).transcripts[0].messages]
    assert texts == ["Request 0", "Answer 0:", "Request 1", "Answer 1:", "Go on.", "Yes."]
    assert lines_of(compact(data, target_ratio=0.6).data)[-len(old) // 2 - 3 :] == lines_of(data)[-len(old) // 2 - 3 :]
    out = compact(data, target_tokens=10**9, drop_outside=True).data
    assert [m.text()[:9] for m in load(out).transcripts[0].messages] == texts
    assert b"thread_rolled_back" not in out


def test_taking_back_more_turns_than_there_are_leaves_what_stands_before_them():
    back = codex_event(type="thread_rolled_back", num_turns=9)
    rules = codex_item(type="message", role="developer", content=[{"type": "input_text", "text": "Rules."}])
    assert [m.text() for m in read_records(codex_meta(), rules, *codex_exchanges(2), back)] == ["Rules."]


SUMMARY = (
    "Another language model started to solve this problem and produced a summary of its thinking process. The summary."
)


def test_what_stands_for_a_history_that_the_agent_compacted_stays():
    sealed = {"type": "compaction", "encrypted_content": "gAAA" * 2000}
    history = [item("user", "The old request."), item("user", SUMMARY), sealed]
    typed = codex_event(type="user_message", message="The old request.")
    data = jsonl(codex_meta(), typed, replacing(*history), *codex_exchanges(16))
    messages = load(data).transcripts[0].messages
    assert [(m.origin, m.pinned) for m in messages[:3]] == [("request", False), ("summary", True), ("other", True)]
    assert messages[2].tokens < 100
    out = compact(data, target_ratio=0.3).data
    assert SUMMARY.encode() in out
    assert b"gAAA" * 2000 in out


def test_what_the_user_typed_is_still_known_when_the_rest_before_the_compaction_is_gone():
    old = list(codex_exchanges(5))
    said = [value["payload"] for value in old if value["payload"].get("role") == "user"]
    data = jsonl(codex_meta(), *old, replacing(*said[2:], item("user", "Rules.")), codex_says("assistant", "Yes."))
    out = compact(data, target_tokens=10**9, drop_outside=True).data
    origins = [m.origin for m in load(out).transcripts[0].messages]
    assert origins == [m.origin for m in load(data).transcripts[0].messages]
    assert origins[:4] == ["request", "request", "request", "injected"]
    events = [v["payload"]["message"][:9] for v in values_of(out) if v["payload"].get("type") == "user_message"]
    assert events == ["Request 0", "Request 2", "Request 3", "Request 4"]


def test_snapshots_of_the_repository_are_not_sent():
    assert (
        len(
            read_records(
                codex_meta(), codex_item(type="ghost_snapshot", ghost_commit={"id": "c"}), codex_says("user", "x")
            )
        )
        == 1
    )


def old_exchanges(count, round):
    """Exchanges of which no text comes again."""
    return [
        json.loads(line.replace(b"equest ", b"equest %d." % round)) for line in lines_of(jsonl(*codex_exchanges(count)))
    ]


def two_compactions():
    """A session that was compacted twice, and how many records there are up to the second compaction."""
    turn = {"timestamp": "t", "type": "turn_context", "payload": {"cwd": "/x"}}
    unknown = {"timestamp": "t", "type": "brand_new", "payload": {"x": 1}}
    first = [codex_meta(), turn, unknown, *old_exchanges(4, 1), replacing(item("user", "First."), item("user", "Two."))]
    second = [
        turn | {"timestamp": "u"},
        *old_exchanges(3, 2),
        replacing(item("user", "Third."), item("user", "Fourth.")),
    ]
    return [*first, *second, *codex_exchanges(12)], len(first) + len(second)


def test_of_two_compactions_the_last_counts_and_all_stays_byte_for_byte():
    records, behind = two_compactions()
    data = jsonl(*records)
    assert [m.text() for m in load(data).transcripts[0].messages[:2]] == ["Third.", "Fourth."]
    assert compact(data, target_tokens=10**9).data == data
    out = lines_of(compact(data, target_ratio=0.4).data)
    assert out[: behind - 1] == lines_of(data)[: behind - 1]
    assert json.loads(out[behind - 1])["payload"]["replacement_history"] == []


def test_items_of_a_replaced_history_are_told_by_the_line_of_their_record():
    records, behind = two_compactions()
    transcript = load(jsonl(*records)).transcripts[0]
    lines = [transcript.records[m.records[0]].line for m in transcript.messages[:3]]
    assert lines == [behind, behind, behind + 1]


def test_what_is_outside_the_context_is_left_out_on_request():
    records, behind = two_compactions()
    data = jsonl(*records)
    out = compact(data, target_tokens=10**9, drop_outside=True)
    values = values_of(out.data)
    # the thread, what shows it in lists, the newest settings of a turn, and what is not known
    first = [(v["type"], v["payload"].get("type"), v["timestamp"]) for v in values[:6]]
    assert first == [
        ("session_meta", None, "2026-03-02T09:00:00Z"),
        ("brand_new", None, "t"),
        ("event_msg", "user_message", values[2]["timestamp"]),
        ("turn_context", None, "u"),
        ("compacted", None, "2026-03-02T09:30:00Z"),
        ("response_item", "message", "2026-03-02T09:30:00Z"),
    ]
    assert len(values) == 5 + 2 + len(records) - behind
    before, after = load(data).transcripts[0].messages, load(out.data).transcripts[0].messages
    assert [(m.role, m.text()) for m in before] == [(m.role, m.text()) for m in after]
    assert [note.kind for note in load(out.data).notes] == []
