"""Claude Code: which records the agent walks to, what a boundary leaves, and what it no longer sends."""

from __future__ import annotations

import json

import pytest

from tests.builders import (
    ClaudeSession,
    assert_chain_whole,
    compact,
    jsonl,
    lines_of,
    load,
    text_block,
    tool_use,
    values_of,
)
from tests.formats.checkers.claude_code import check_resumed, resumed
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

KILN = CASES / "claude-code" / "kiln.jsonl"
SESSIONS = REAL / "claude-code"
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    KILN: (
        {"user": 8, "assistant": 7, "tool": 6},
        3,
        {"text": 13, "image": 1, "tool_call": 6, "tool_result": 6},
        1,
    ),
    SESSIONS / "1284c080-f9cd-45f8-9942-ff58f5c517e5.jsonl": (
        {"user": 5, "assistant": 33, "tool": 32},
        4,
        {"text": 33, "thinking": 14, "tool_call": 32, "tool_result": 32},
        1,
    ),
    SESSIONS / "53ea1606-cf60-417b-928a-068324ecc7b3.jsonl": (
        {"user": 5, "assistant": 14, "tool": 17},
        1,
        {"text": 17, "thinking": 2, "tool_call": 17, "tool_result": 17},
        0,
    ),
    SESSIONS / "2026-01-20-250f24a9-9cb5-4265-b13e-a9d193df03b8.jsonl": (
        {"user": 8, "assistant": 53, "tool": 48},
        7,
        {"text": 26, "thinking": 53, "tool_call": 48, "tool_result": 48},
        3,
    ),
    SESSIONS / "2026-01-28-68d61609-708d-431d-b552-dc582ffc947b.jsonl": (
        {"user": 1, "assistant": 5, "tool": 6},
        1,
        {"text": 6, "thinking": 5, "tool_call": 6, "tool_result": 6},
        1,
    ),
}


def messages_of(session):
    return load(session.data).transcripts[0].messages


def present(path):
    if not path.exists():
        pytest.skip("the folder of real transcripts is not here")
    return path


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_messages_and_parts_are_those_counted_by_hand(path):
    source = loaded(present(path))
    found = figures(source)
    assert source.format == "claude-code"
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[path]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_output_is_resumed_with_all_that_is_kept(path):
    data = present(path).read_bytes()
    assert_untouched(data)
    large = len(data) > 200_000
    for out in [data, *compactions(data, ratios=(0.1,) if large else (0.25, 0.1))]:
        values = values_of(out)
        turns = resumed(values)
        check_resumed(turns)
        read = {record for m in load(out).transcripts[0].messages for record in m.records}
        assert turns == [values[at] for at in sorted(read) if values[at]["type"] in ("user", "assistant")]


def test_the_original_is_restored_to_the_byte(tmp_path):
    assert_restored(KILN, tmp_path)


def test_of_an_output_that_was_spilled_the_preview_counts():
    message = next(m for m in loaded(KILN).transcripts[0].messages if "persisted-output" in m.text())
    assert "Full output saved to: /home/ines" in message.text()
    assert len(message.text()) < 1_000 < len(KILN.read_bytes().splitlines()[message.records[0]]) / 10


def compacted_session():
    session = ClaudeSession()
    session.add_raw({"type": "summary", "summary": "Old title", "leafUuid": "uuid-0002"})
    session.exchanges(6, "old")
    old_end = len(session.records)
    session.add(
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        parentUuid=None,
        logicalParentUuid=session.last,
        compactMetadata={"trigger": "auto", "preTokens": 155000},
    )
    session.add_answer("This session is being continued. The summary of it.", isCompactSummary=True)
    session.exchanges(14, "new")
    return session, old_end


def test_only_what_stands_behind_the_last_boundary_is_in_the_context():
    session, _ = compacted_session()
    source = load(session.data)
    messages = source.transcripts[0].messages
    assert len(messages) == 29
    assert (messages[0].origin, messages[0].pinned) == ("summary", True)
    assert [(note.kind, note.index) for note in source.notes] == [("outside_context", 15)]


def test_what_stands_before_the_boundary_passes_through_byte_for_byte():
    session, old_end = compacted_session()
    before = lines_of(session.data)
    out = lines_of(compact(session.data, target_ratio=0.3).data)
    assert out[: old_end + 2] == before[: old_end + 2], "the old part, the boundary, and the summary behind it"
    assert len(out) < len(before)
    assert_chain_whole(values_of(b"\n".join(out)))


def test_of_several_boundaries_the_last_one_counts():
    first, _ = compacted_session()
    first.add("system", subtype="compact_boundary", parentUuid=None, compactMetadata={})
    first.add_answer("Second summary.", isCompactSummary=True)
    first.add_answer("Go on.")
    assert [m.text() for m in messages_of(first)] == ["Second summary.", "Go on."]


def went_back_session():
    """The user went back twice: to an answer, and then to the start of what followed it."""
    session = ClaudeSession()
    session.exchanges(3, "shared")
    fork = session.last
    session.add_answer("Paint the lamp scarlet.")
    session.add_call(text_block("It is scarlet."))
    session.add("system", subtype="turn_duration", durationMs=5)
    session.add_answer("Brighter scarlet.")
    session.last = fork
    session.add_call(text_block("Said again."), id="msg_again")
    session.last = fork
    session.exchanges(12, "new")
    return session


def test_old_branches_are_out_of_the_context_and_pass_through():
    session = went_back_session()
    assert [m.text() for m in messages_of(session) if "scarlet" in m.text() or "again" in m.text()] == []
    assert len(messages_of(session)) == 30
    out = compact(session.data, target_ratio=0.3).data
    kept = [line for line in lines_of(out) if b" scarlet" in line or b"turn_duration" in line]
    assert kept[1:] == lines_of(session.data)[7:10]
    assert json.loads(kept[0])["message"] == session.records[6]["message"]
    values = values_of(out)
    by_id = {value["uuid"]: value for value in values}
    way = [values[-1]]
    while way[-1]["parentUuid"] is not None:
        way.append(by_id[way[-1]["parentUuid"]])
    assert not any("scarlet" in json.dumps(value) for value in way)
    assert len(way) == len(load(out).transcripts[0].messages)


def test_parallel_calls_beside_the_way_are_in_the_context():
    session = ClaudeSession()
    session.add_answer("Look at both.")
    session.add_call(tool_use("t1"), id="msg_a")
    first = session.last
    session.add_call(tool_use("t2"), id="msg_a")
    second = session.last
    session.add_result("t1", "one", parentUuid=first)
    session.add_result("t2", "two", parentUuid=second)
    beside = session.last
    session.add_answer("<system-reminder>Both are done.</system-reminder>", isMeta=True)
    session.last = beside
    session.add_call(text_block("Both are there."), id="msg_b")
    assert [m.records for m in messages_of(session)] == [(0,), (1, 2), (3,), (4,), (5,), (6,)]


def test_a_parent_that_is_in_no_record_is_damage_and_no_branch():
    session = ClaudeSession()
    session.exchanges(2)
    session.last = "uuid-gone"
    session.exchanges(2, "more")
    assert len(messages_of(session)) == 8


def test_records_without_parents_follow_one_another():
    session = ClaudeSession()
    session.exchanges(4)
    for record in session.records:
        record["parentUuid"] = None
    assert len(messages_of(session)) == 8


def preserving_session(**metadata):
    """A boundary that names what of the messages before it stays in the context."""
    session = ClaudeSession()
    session.exchanges(6, "old")
    head = session.add_answer("Keep the period at 15 seconds.")["uuid"]
    session.exchanges(4, "preserved")
    tail = session.add_call(text_block("The last that is preserved."))["uuid"]
    segment = {"headUuid": head, "anchorUuid": f"uuid-{session.count + 2:04}", "tailUuid": tail}
    session.add("system", subtype="compact_boundary", parentUuid=None, compactMetadata={"preservedSegment": segment})
    session.add_answer("This session is being continued. The summary of it.", isCompactSummary=True)
    session.exchanges(8, "new")
    return session


def test_a_segment_that_the_boundary_preserves_is_in_the_context():
    session = preserving_session()
    messages = messages_of(session)
    assert [m.records[0] for m in messages] == [*range(12, 22), *range(23, 40)]
    assert [m.records[0] for m in messages if m.pinned] == [12, 21, 23]
    out = values_of(compact(session.data, target_ratio=0.4).data)
    by_id = {value["uuid"]: value for value in out}
    at = by_id["uuid-0022"]
    while at["uuid"] != "uuid-0013":  # the agent walks from the tail to the head
        at = by_id[at["parentUuid"]]
    assert len(load(jsonl(*out)).transcripts[0].messages) < len(messages)


def test_a_list_of_preserved_messages_stays_whole():
    session = preserving_session()
    boundary = next(v for v in session.records if v.get("subtype") == "compact_boundary")
    boundary["compactMetadata"] = {
        "preservedMessages": {"anchorUuid": "uuid-0024", "uuids": ["uuid-0013", "uuid-0022"]}
    }
    messages = messages_of(session)
    assert [m.records[0] for m in messages if m.pinned] == [12, 21, 23]
    assert len(messages) == 19


def test_a_microcompaction_cuts_off_nothing():
    session = ClaudeSession()
    session.exchanges(3)
    session.add("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1"]})
    session.exchanges(2, "more")
    assert len(messages_of(session)) == 10


def test_of_a_session_gone_back_to_before_its_compaction_the_boundary_does_not_count():
    session, _ = compacted_session()
    session.last = "uuid-0004"
    session.exchanges(2, "again")
    assert len(messages_of(session)) == 8


ATTACHMENTS = [
    ({"type": "queued_command", "prompt": "And a bell.", "commandMode": "prompt"}, "And a bell.", "request"),
    (
        {"type": "queued_command", "prompt": "A task ended.", "commandMode": "task-notification"},
        "A task ended.",
        "injected",
    ),
    ({"type": "queued_command", "prompt": [text_block("A picture of it.")]}, "A picture of it.", "request"),
    ({"type": "hook_additional_context", "content": "Use make."}, "Use make.", "injected"),
    ({"type": "hook_blocking_error", "blockingError": {"blockingError": "No."}}, "No.", "injected"),
    ({"type": "hook_success", "hookEvent": "SessionStart", "content": "Hello."}, "Hello.", "injected"),
    ({"type": "nested_memory", "content": {"content": "# Rules"}}, "# Rules", "injected"),
    ({"type": "edited_text_file", "snippet": "1 a"}, "1 a", "injected"),
    ({"type": "file", "content": {"type": "text", "file": {"content": "the file"}}}, "the file", "injected"),
]


@pytest.mark.parametrize(("attachment", "text", "origin"), ATTACHMENTS, ids=lambda v: v if isinstance(v, str) else "")
def test_texts_of_attachments_are_messages(attachment, text, origin):
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    session.add("attachment", attachment=attachment)
    session.add_call(text_block("Yes."))
    message = messages_of(session)[1]
    assert (message.role, message.text(), message.origin) == ("user", text, origin)


@pytest.mark.parametrize(
    "attachment",
    [
        {"type": "hook_success", "hookEvent": "PostToolUse", "content": "formatted"},
        {"type": "hook_non_blocking_error", "stderr": "x"},
        {"type": "command_permissions", "allowedTools": []},
        {"type": "date_change", "newDate": "2026-03-03"},
        {"type": "brand_new", "content": "x"},
    ],
)
def test_attachments_without_text_of_their_own_are_no_messages(attachment):
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    session.add("attachment", attachment=attachment)
    session.add_call(text_block("Yes."))
    assert len(messages_of(session)) == 2


def cluttered_session():
    """Everything that is not sent, beside what is, and what stays all the same."""
    session, old_end = compacted_session()
    session.add("progress", data={"type": "bash_progress"}, toolUseID="t")
    session.add_raw({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}})
    session.add_raw({"type": "queue-operation", "operation": "enqueue", "sessionId": "session-1"})
    session.add("system", subtype="turn_duration", durationMs=5)
    session.add("attachment", attachment={"type": "command_permissions", "allowedTools": []})
    session.add("attachment", attachment={"type": "queued_command", "prompt": "And a bell."})
    session.add("attachment", attachment={"type": "date_change", "newDate": "2026-03-03"})
    session.add("user", {"role": "user", "content": "aside"}, isSidechain=True, agentId="a", parentUuid=None)
    fork = session.last
    session.add_answer("An old branch.")
    session.last = fork
    session.exchanges(2, "last")
    session.add_raw({"type": "custom-title", "customTitle": "Lamp", "sessionId": "session-1"})
    session.add_raw({"type": "brand-new-kind", "sessionId": "session-1"})
    session.add("system", subtype="brand_new_note")
    return session, old_end


def test_what_is_outside_the_context_is_left_out_on_request():
    session, old_end = cluttered_session()
    out = compact(session.data, target_tokens=10**9, drop_outside=True)
    values = values_of(out.data)
    gone = [value for value in session.records if value.get("uuid") not in {v.get("uuid") for v in values}]
    kinds = {(v["type"], v.get("subtype") or (v.get("attachment") or {}).get("type") or "") for v in values}
    assert kinds == {
        ("summary", ""),
        ("system", "compact_boundary"),
        ("user", ""),
        ("assistant", ""),
        ("attachment", "queued_command"),
        ("attachment", "date_change"),
        ("custom-title", ""),
        ("brand-new-kind", ""),
        ("system", "brand_new_note"),
    }
    assert len(gone) == old_end - 1 + 5
    assert not any(v.get("isSidechain") or "old branch" in json.dumps(v) for v in values)
    assert_chain_whole(values)
    before, after = messages_of(session), load(out.data).transcripts[0].messages
    assert [(m.role, m.text()) for m in before] == [(m.role, m.text()) for m in after]
    assert load(out.data).transcripts[0].outside == frozenset()
    assert load(out.data).notes == ()


def test_what_is_outside_the_context_stays_unless_it_is_asked():
    session, _ = cluttered_session()
    assert compact(session.data, target_tokens=10**9).data == session.data
