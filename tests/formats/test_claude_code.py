"""Claude Code sessions: messages over several records, a tree of parents, boundaries, copies for display."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.pairing import pair_calls
from tests.builders import (
    ClaudeSession,
    assert_chain_whole,
    assert_changed_only_at,
    compact,
    find_faults,
    jsonl,
    lines_of,
    listing_output,
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
    session.add_answer("Fix it.")
    session.add_call(THINKING, id="msg_a")
    session.add_call(text_block("I look."), id="msg_a")
    session.add_call(tool_use("t1"), id="msg_a")
    session.add_result("t1", "ok")
    user, assistant, tool = messages_of(session)
    assert (user.role, assistant.role, tool.role) == ("user", "assistant", "tool")
    assert [part.kind for part in assistant.parts] == ["thinking", "text", "tool_call"]
    assert assistant.records == (1, 2, 3)


def test_records_of_one_message_need_not_stand_together():
    session = ClaudeSession()
    session.add_answer("Fix it.")
    session.add_call(tool_use("t1"), id="msg_a")
    session.add_result("t1", "one")
    session.add_call(tool_use("t2"), id="msg_a")
    session.add_result("t2", "two")
    session.add_call(text_block("Done."), id="msg_b")
    source = load(session.data)
    messages = source.transcripts[0].messages
    assert [m.records for m in messages] == [(0,), (1, 3), (2,), (4,), (5,)]
    assert len(pair_calls(messages).call_of) == 2
    assert find_faults(source) == []


def test_records_of_one_message_are_kept_or_removed_together():
    session = ClaudeSession()
    session.add_answer("Start.")
    for at in range(30):
        session.add_call(text_block(f"Step {at} of the plan, with words about it."), id=f"msg_{at}")
        session.add_call(tool_use(f"t{at}", command=f"run {at}"), id=f"msg_{at}")
        session.add_result(f"t{at}", listing_output(f"run {at}", 20))
    session.add_call(text_block("Done."))
    out = values_of(compact(session.data, target_ratio=0.3).data)
    written = [value["message"].get("id") for value in out if value["type"] == "assistant"]
    for at in range(30):
        assert written.count(f"msg_{at}") in (0, 2)
    assert any(written.count(f"msg_{at}") == 0 for at in range(30))
    assert_chain_whole(out)


def test_a_copy_of_a_result_for_display_is_shortened_with_it_and_nothing_else_changes():
    text = listing_output("cat", 300)
    session = ClaudeSession()
    session.add_answer("Show me.")
    session.add_call(tool_use("t1"))
    record = session.add_result("t1", text, toolUseResult={"stdout": text, "stderr": "", "code": 0, "x": 2**70})
    session.add_call(text_block("Here."))
    line = next(line for line in lines_of(compact(session.data, target_tokens=500).data) if b"toolUseResult" in line)
    value = json.loads(line)
    assert len(value["message"]["content"][0]["content"]) < len(text) / 2
    assert len(value["toolUseResult"]["stdout"]) < len(text) / 2
    assert value["toolUseResult"]["x"] == 2**70
    raw = json.dumps(record, ensure_ascii=False).encode()
    assert_changed_only_at(raw, line, ("message", "content", 0, "content"), ("toolUseResult", "stdout"))


def test_a_copy_that_is_a_string_and_copies_deep_inside_are_shortened_too():
    text = listing_output("cat", 300)
    for copy in (text, {"file": {"content": text, "lines": 300}}, [{"type": "text", "text": text}]):
        session = ClaudeSession()
        session.add_answer("Show me.")
        session.add_call(tool_use("t1"))
        session.add_result("t1", text, toolUseResult=copy)
        session.add_call(text_block("Here."))
        line = next(x for x in lines_of(compact(session.data, target_tokens=500).data) if b"toolUseResult" in x)
        assert len(line) < len(text)
        assert type(json.loads(line)["toolUseResult"]) is type(copy)


def test_a_copy_whose_bulk_is_many_short_strings_becomes_the_shortened_text():
    text = listing_output("cat", 300)
    session = ClaudeSession()
    session.add_answer("Show me.")
    session.add_call(tool_use("t1"))
    session.add_result(
        "t1", text, toolUseResult={"structuredPatch": [{"lines": text.splitlines()}], "filePath": "a.py"}
    )
    session.add_call(text_block("Here."))
    line = next(x for x in lines_of(compact(session.data, target_tokens=500).data) if b"toolUseResult" in x)
    value = json.loads(line)
    assert value["toolUseResult"] == value["message"]["content"][0]["content"]
    assert len(line) < len(text)


def test_only_the_content_of_the_message_is_counted_not_its_copy():
    session = ClaudeSession()
    session.add_answer("x")
    session.add_call(tool_use("t1"))
    session.add_result("t1", "abcd", toolUseResult={"stdout": "y" * 100_000})
    assert messages_of(session)[2].tokens == 3


def test_what_a_harness_says_is_no_request():
    session = ClaudeSession()
    session.add_answer("Caveat text of the program", isMeta=True)
    session.add_answer("<command-name>/clear</command-name><command-args></command-args>")
    session.add_answer("<command-name>/review</command-name><command-args>the parser</command-args>")
    session.add_answer("<local-command-stdout>ok</local-command-stdout>")
    session.add_answer("[Request interrupted by user]")
    session.add_answer("Please go on.")
    session.add_call(text_block("Yes."))
    assert [m.origin for m in messages_of(session)[:6]] == [
        "injected",
        "injected",
        "request",
        "injected",
        "injected",
        "request",
    ]


def test_unknown_record_kinds_pass_through():
    session = ClaudeSession()
    session.add_raw({"type": "file-history-snapshot", "messageId": "x", "snapshot": {"n": 2**70}})
    session.exchanges(8)
    session.add_raw({"type": "brand-new-kind", "sessionId": "session-1", "data": [None, 1.50]})
    session.exchanges(8, "second")
    session.add_raw({"type": "pr-link", "url": "https://example.org/1", "sessionId": "session-1"})
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
    first = values_of(compact(session.data, target_ratio=0.8).data)[0]
    assert first["parentUuid"] == "uuid-from-another-file"


def test_several_children_of_one_parent_are_kept_right_after_removal():
    # parallel calls: each record of the message and each result hangs on another parent
    session = ClaudeSession()
    session.exchanges(15)
    session.add_call(tool_use("a"), id="msg_par")
    one = session.last
    session.add_call(tool_use("b"), id="msg_par")
    two = session.last
    session.add_result("a", "1", parentUuid=one)
    session.add_result("b", "2", parentUuid=two)
    session.add_call(text_block("Both."))
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
    session.add_answer("x")
    session.add_call(tool_use("gone"))
    session.add_answer("y")
    session.add_result("nobody", "?")
    session.add_call(text_block("ok"))
    assert [(fault.kind, fault.call_id) for fault in find_faults(load(session.data))] == [
        ("unanswered_call", "gone"),
        ("orphan_result", "nobody"),
    ]


def test_progress_of_a_call_goes_where_its_call_goes():
    session = ClaudeSession()
    session.add_answer("Start.")
    session.add_call(tool_use("t1", command="old"))
    session.add("progress", toolUseID="t1", data={"type": "hook_progress"})
    session.add_result("t1", listing_output("old", 40))
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
    session.add_answer("x")
    session.add_call(tool_use("t1"))
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
