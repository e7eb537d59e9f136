"""Claude Code sessions: messages over several records, a tree of parents, boundaries, copies for display."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.pairing import pair
from tests.builders import (
    ClaudeSession,
    assert_chain_whole,
    assert_changed_only_at,
    compact,
    faults_of,
    jsonl,
    lines_of,
    listing,
    load,
    text_block,
    tool_result,
    tool_use,
    values_of,
)

THINKING = {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}


def messages_of(session):
    return load(session.data).transcripts[0].messages


def test_records_with_one_message_id_are_one_message():
    session = ClaudeSession()
    session.says("Fix it.")
    session.answers(THINKING, id="msg_a")
    session.answers(text_block("I look."), id="msg_a")
    session.answers(tool_use("t1"), id="msg_a")
    session.returns("t1", "ok")
    user, assistant, tool = messages_of(session)
    assert (user.role, assistant.role, tool.role) == ("user", "assistant", "tool")
    assert [part.kind for part in assistant.parts] == ["thinking", "text", "tool_call"]
    assert assistant.records == (1, 2, 3)


def test_records_of_one_message_need_not_stand_together():
    session = ClaudeSession()
    session.says("Fix it.")
    session.answers(tool_use("t1"), id="msg_a")
    session.returns("t1", "one")
    session.answers(tool_use("t2"), id="msg_a")
    session.returns("t2", "two")
    session.answers(text_block("Done."), id="msg_b")
    source = load(session.data)
    messages = source.transcripts[0].messages
    assert [m.records for m in messages] == [(0,), (1, 3), (2,), (4,), (5,)]
    assert len(pair(messages).answers) == 2
    assert faults_of(source) == []


def test_records_of_one_message_are_kept_or_removed_together():
    session = ClaudeSession()
    session.says("Start.")
    for at in range(30):
        session.answers(text_block(f"Step {at} of the plan, with words about it."), id=f"msg_{at}")
        session.answers(tool_use(f"t{at}", command=f"run {at}"), id=f"msg_{at}")
        session.returns(f"t{at}", listing(f"run {at}", 20))
    session.answers(text_block("Done."))
    out = values_of(compact(session.data, target_ratio=0.3).data)
    written = [value["message"].get("id") for value in out if value["type"] == "assistant"]
    for at in range(30):
        assert written.count(f"msg_{at}") in (0, 2)
    assert any(written.count(f"msg_{at}") == 0 for at in range(30))
    assert_chain_whole(out)


def test_a_copy_of_a_result_for_display_is_shortened_with_it_and_nothing_else_changes():
    text = listing("cat", 300)
    session = ClaudeSession()
    session.says("Show me.")
    session.answers(tool_use("t1"))
    record = session.returns("t1", text, toolUseResult={"stdout": text, "stderr": "", "code": 0, "x": 2**70})
    session.answers(text_block("Here."))
    line = next(line for line in lines_of(compact(session.data, target_tokens=500).data) if b"toolUseResult" in line)
    value = json.loads(line)
    assert len(value["message"]["content"][0]["content"]) < len(text) / 2
    assert len(value["toolUseResult"]["stdout"]) < len(text) / 2
    assert value["toolUseResult"]["x"] == 2**70
    raw = json.dumps(record, ensure_ascii=False).encode()
    assert_changed_only_at(raw, line, ("message", "content", 0, "content"), ("toolUseResult", "stdout"))


def test_a_copy_that_is_a_string_and_copies_deep_inside_are_shortened_too():
    text = listing("cat", 300)
    for copy in (text, {"file": {"content": text, "lines": 300}}, [{"type": "text", "text": text}]):
        session = ClaudeSession()
        session.says("Show me.")
        session.answers(tool_use("t1"))
        session.returns("t1", text, toolUseResult=copy)
        session.answers(text_block("Here."))
        line = next(x for x in lines_of(compact(session.data, target_tokens=500).data) if b"toolUseResult" in x)
        assert len(line) < len(text)
        assert type(json.loads(line)["toolUseResult"]) is type(copy)


def test_a_copy_whose_bulk_is_many_short_strings_becomes_the_shortened_text():
    text = listing("cat", 300)
    session = ClaudeSession()
    session.says("Show me.")
    session.answers(tool_use("t1"))
    session.returns("t1", text, toolUseResult={"structuredPatch": [{"lines": text.splitlines()}], "filePath": "a.py"})
    session.answers(text_block("Here."))
    line = next(x for x in lines_of(compact(session.data, target_tokens=500).data) if b"toolUseResult" in x)
    value = json.loads(line)
    assert value["toolUseResult"] == value["message"]["content"][0]["content"]
    assert len(line) < len(text)


def test_only_the_content_of_the_message_is_counted_not_its_copy():
    session = ClaudeSession()
    session.says("x")
    session.answers(tool_use("t1"))
    session.returns("t1", "abcd", toolUseResult={"stdout": "y" * 100_000})
    assert messages_of(session)[2].tokens == 3


def test_what_a_harness_says_is_no_request():
    session = ClaudeSession()
    session.says("Caveat text of the program", isMeta=True)
    session.says("<command-name>/clear</command-name><command-args></command-args>")
    session.says("<command-name>/review</command-name><command-args>the parser</command-args>")
    session.says("<local-command-stdout>ok</local-command-stdout>")
    session.says("[Request interrupted by user]")
    session.says("Please go on.")
    session.answers(text_block("Yes."))
    assert [m.origin for m in messages_of(session)[:6]] == [
        "injected",
        "injected",
        "request",
        "injected",
        "injected",
        "request",
    ]


def compacted_session():
    session = ClaudeSession()
    session.raw({"type": "summary", "summary": "Old title", "leafUuid": "uuid-0002"})
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
    session.says("This session is being continued. The summary of it.", isCompactSummary=True)
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
    first.says("Second summary.", isCompactSummary=True)
    first.says("Go on.")
    assert [m.text() for m in messages_of(first)] == ["Second summary.", "Go on."]


def went_back_session():
    """The user went back twice: to an answer, and then to the start of what followed it."""
    session = ClaudeSession()
    session.exchanges(3, "shared")
    fork = session.last
    session.says("Paint the lamp scarlet.")
    session.answers(text_block("It is scarlet."))
    session.add("system", subtype="turn_duration", durationMs=5)
    session.says("Brighter scarlet.")
    session.last = fork
    session.answers(text_block("Said again."), id="msg_again")
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
    session.says("Look at both.")
    session.answers(tool_use("t1"), id="msg_a")
    first = session.last
    session.answers(tool_use("t2"), id="msg_a")
    second = session.last
    session.returns("t1", "one", parentUuid=first)
    session.returns("t2", "two", parentUuid=second)
    beside = session.last
    session.says("<system-reminder>Both are done.</system-reminder>", isMeta=True)
    session.last = beside
    session.answers(text_block("Both are there."), id="msg_b")
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
    head = session.says("Keep the period at 15 seconds.")["uuid"]
    session.exchanges(4, "preserved")
    tail = session.answers(text_block("The last that is preserved."))["uuid"]
    segment = {"headUuid": head, "anchorUuid": f"uuid-{session.count + 2:04}", "tailUuid": tail}
    session.add("system", subtype="compact_boundary", parentUuid=None, compactMetadata={"preservedSegment": segment})
    session.says("This session is being continued. The summary of it.", isCompactSummary=True)
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
    session.says("Build a lamp.")
    session.add("attachment", attachment=attachment)
    session.answers(text_block("Yes."))
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
    session.says("Build a lamp.")
    session.add("attachment", attachment=attachment)
    session.answers(text_block("Yes."))
    assert len(messages_of(session)) == 2


def cluttered_session():
    """Everything that is not sent, beside what is, and what stays all the same."""
    session, old_end = compacted_session()
    session.add("progress", data={"type": "bash_progress"}, toolUseID="t")
    session.raw({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}})
    session.raw({"type": "queue-operation", "operation": "enqueue", "sessionId": "session-1"})
    session.add("system", subtype="turn_duration", durationMs=5)
    session.add("attachment", attachment={"type": "command_permissions", "allowedTools": []})
    session.add("attachment", attachment={"type": "queued_command", "prompt": "And a bell."})
    session.add("attachment", attachment={"type": "date_change", "newDate": "2026-03-03"})
    session.add("user", {"role": "user", "content": "aside"}, isSidechain=True, agentId="a", parentUuid=None)
    fork = session.last
    session.says("An old branch.")
    session.last = fork
    session.exchanges(2, "last")
    session.raw({"type": "custom-title", "customTitle": "Lamp", "sessionId": "session-1"})
    session.raw({"type": "brand-new-kind", "sessionId": "session-1"})
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


def test_what_is_outside_the_context_stays_unless_it_is_asked():
    session, _ = cluttered_session()
    assert compact(session.data, target_tokens=10**9).data == session.data


def test_unknown_record_kinds_pass_through():
    session = ClaudeSession()
    session.raw({"type": "file-history-snapshot", "messageId": "x", "snapshot": {"n": 2**70}})
    session.exchanges(8)
    session.raw({"type": "brand-new-kind", "sessionId": "session-1", "data": [None, 1.50]})
    session.exchanges(8, "second")
    session.raw({"type": "pr-link", "url": "https://example.org/1", "sessionId": "session-1"})
    out = lines_of(compact(session.data, target_ratio=0.3).data)
    for kind in (b"file-history-snapshot", b"brand-new-kind", b"pr-link"):
        original = next(line for line in lines_of(session.data) if kind in line)
        assert original in out


def test_sidechains_stay_apart_and_pass_through():
    session = ClaudeSession()
    session.exchanges(6)
    parent = None
    for at in range(4):
        record = session.add(
            "user" if at % 2 == 0 else "assistant",
            {"role": "user", "content": f"aside {at}"}
            if at % 2 == 0
            else {"id": f"side_{at}", "role": "assistant", "content": [text_block(f"aside {at}")]},
            isSidechain=True,
            agentId="agent-1",
            parentUuid=parent,
        )
        parent = record["uuid"]
    session.exchanges(10, "more")
    messages = messages_of(session)
    assert not any("aside" in m.text() for m in messages)
    before = [line for line in lines_of(session.data) if b'"isSidechain": true' in line]
    out = compact(session.data, target_ratio=0.3).data
    assert [line for line in lines_of(out) if b'"isSidechain": true' in line] == before
    assert_chain_whole(values_of(out))


def test_a_file_that_is_only_a_sidechain_is_a_conversation():
    session = ClaudeSession()
    session.add("user", {"role": "user", "content": "task"}, isSidechain=True, agentId="a")
    session.add("assistant", {"id": "m", "role": "assistant", "content": [text_block("done")]}, isSidechain=True)
    assert [m.role for m in messages_of(session)] == ["user", "assistant"]


def test_the_chain_of_parents_is_whole_after_removal_and_only_links_change():
    session = ClaudeSession()
    session.exchanges(40)
    before = {value["uuid"]: line for value, line in zip(session.records, lines_of(session.data), strict=True)}
    out = compact(session.data, target_ratio=0.3, strategy="tiered").data
    values = values_of(out)
    assert_chain_whole(values)
    assert values[0]["parentUuid"] is None
    assert [value["uuid"] for value in values if value["parentUuid"] is None] == [values[0]["uuid"]]
    relinked = 0
    for value, line in zip(values, lines_of(out), strict=True):
        original = before.get(value["uuid"])
        if original is not None and line != original:
            assert_changed_only_at(original, line, ("parentUuid",))
            relinked += 1
    assert relinked >= 1
    assert relinked < len(values) / 2, "a record whose parent is kept keeps its bytes"


def test_a_parent_that_is_not_in_the_file_is_left_alone():
    session = ClaudeSession(last="uuid-from-another-file")
    session.exchanges(12)
    first = values_of(compact(session.data, target_ratio=0.4).data)[0]
    assert first["parentUuid"] == "uuid-from-another-file"


def test_several_children_of_one_parent_are_kept_right_after_removal():
    # parallel calls: each record of the message and each result hangs on another parent
    session = ClaudeSession()
    session.exchanges(15)
    session.answers(tool_use("a"), id="msg_par")
    one = session.last
    session.answers(tool_use("b"), id="msg_par")
    two = session.last
    session.returns("a", "1", parentUuid=one)
    session.returns("b", "2", parentUuid=two)
    session.answers(text_block("Both."))
    out = values_of(compact(session.data, target_ratio=0.3).data)
    assert_chain_whole(out)
    by_uuid = {value["uuid"]: value for value in out}
    results = [v for v in out if v["type"] == "user" and isinstance(v["message"]["content"], list)]
    assert [by_uuid[v["uuid"]]["parentUuid"] for v in results] == [one, two]


def test_a_summary_record_has_an_envelope_like_its_neighbours():
    session = ClaudeSession()
    session.exchanges(40)
    before = {value["uuid"] for value in session.records}
    added = [v for v in values_of(compact(session.data, target_ratio=0.2).data) if v["uuid"] not in before]
    assert added
    for value in added:
        assert (value["sessionId"], value["cwd"], value["isSidechain"]) == ("session-1", "/home/sam/work", False)
        assert value["message"]["content"].startswith("## Session Summary")
        assert value["timestamp"]
    assert len({value["uuid"] for value in added}) == len(added)


def test_results_that_come_late_and_calls_that_have_none_are_told():
    session = ClaudeSession()
    session.says("x")
    session.answers(tool_use("gone"))
    session.says("y")
    session.returns("nobody", "?")
    session.answers(text_block("ok"))
    assert [(fault.kind, fault.call_id) for fault in faults_of(load(session.data))] == [
        ("unanswered_call", "gone"),
        ("orphan_result", "nobody"),
    ]


def test_progress_of_a_call_goes_where_its_call_goes():
    session = ClaudeSession()
    session.says("Start.")
    session.answers(tool_use("t1", command="old"))
    session.add("progress", toolUseID="t1", data={"type": "hook_progress"})
    session.returns("t1", listing("old", 40))
    session.exchanges(30)
    out = values_of(compact(session.data, target_ratio=0.2).data)
    call = any("t1" in json.dumps(value["message"]) for value in out if value["type"] == "assistant")
    progress = any(value["type"] == "progress" for value in out)
    assert progress == call


def test_one_glued_line_in_a_session_is_read_as_two_records():
    session = ClaudeSession()
    session.exchanges(2)
    lines = lines_of(session.data)
    data = jsonl(lines[0], lines[1] + lines[2], lines[3])
    source = load(data)
    assert len(source.transcripts[0].messages) == 4
    assert [(note.kind, note.index) for note in source.notes] == [("glued_records", 2)]


def test_a_result_inside_a_turn_with_text_is_read_as_both():
    session = ClaudeSession()
    session.says("x")
    session.answers(tool_use("t1"))
    session.add("user", {"role": "user", "content": [tool_result("t1", "out"), text_block("And now stop.")]})
    message = messages_of(session)[2]
    assert (message.role, message.origin, message.results[0].text) == ("user", "request", "out")


@pytest.mark.parametrize("strategy", ["handoff", "tiered", "rolling", "ranked", "adaptive"])
def test_a_record_of_a_hook_that_begins_no_chain_is_no_second_root_behind_a_summary(strategy):
    session = ClaudeSession()
    session.exchanges(2, "first")
    hook = session.add("progress", None, parentUuid=None, data={"type": "hook_progress", "hookName": "SessionStart"})
    session.exchanges(30)
    values = values_of(compact(session.data, target_ratio=0.3, strategy=strategy).data)
    assert any("Session Summary" in str(value.get("message")) for value in values)
    assert hook["uuid"] in [value["uuid"] for value in values]
    assert_chain_whole(values)
    roots = [value["uuid"] for value in values if value["parentUuid"] is None]
    written = [value["uuid"] for value in values if "Session Summary" in str(value.get("message"))]
    assert roots == [values[0]["uuid"]] or values[0]["uuid"] not in written


@pytest.mark.parametrize("strategy", ["adaptive", "tiered", "rolling"])
def test_a_title_names_a_record_that_is_there(strategy):
    session = ClaudeSession()
    session.exchanges(30)
    left = {value["uuid"] for value in values_of(compact(session.data, target_ratio=0.2, strategy=strategy).data)}
    own = [record["uuid"] for record in session.records]
    removed, kept = ([uuid for uuid in own if (uuid in left) is stays][-1] for stays in (False, True))
    titles = [{"type": "summary", "summary": "Rounding", "leafUuid": leaf} for leaf in (removed, kept, "elsewhere")]
    data = jsonl(*titles, *session.records)
    values = values_of(compact(data, target_ratio=0.2, strategy=strategy).data)
    there = {value["uuid"] for value in values if "uuid" in value}
    assert removed not in there
    mended, same, foreign = (value["leafUuid"] for value in values[:3])
    assert mended in there
    assert (same, foreign) == (kept, "elsewhere")
    assert all(value["type"] == "summary" for value in values[:3])


def test_a_summary_that_begins_the_context_is_marked_as_the_agent_marks_its_own_and_folded_into_the_next():
    session = ClaudeSession()
    session.exchanges(40)
    first = compact(session.data, target_ratio=0.3, strategy="rolling")
    values = values_of(first.data)
    (summary,) = [value for value in values if value.get("isCompactSummary")]
    assert summary is values[0]
    assert summary["parentUuid"] is None
    assert summary["isVisibleInTranscriptOnly"]
    again = values_of(compact(first.data, target_ratio=0.5, strategy="rolling").data)
    assert sum("Session Summary" in str(value.get("message")) for value in again) == 1


def test_a_summary_behind_a_kept_message_is_not_marked():
    session = ClaudeSession()
    session.exchanges(30)
    values = values_of(compact(session.data, target_ratio=0.3, strategy="tiered").data)
    assert any("Session Summary" in str(value.get("message")) for value in values[1:])
    assert not any(value.get("isCompactSummary") for value in values)
