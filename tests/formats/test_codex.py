"""Codex rollouts: response items are what the model sees, events repeat them for display."""

from __future__ import annotations

import json

from compactor_cli.tokens.base import IMAGE_TOKENS
from tests.builders import (
    assert_changed_only_at,
    codex_event,
    codex_exchanges,
    codex_item,
    codex_meta,
    codex_says,
    compact,
    faults_of,
    jsonl,
    lines_of,
    listing,
    load,
    prose,
    read,
    values_of,
)


def function_call(id, name="shell", arguments='{"command": ["ls"]}'):
    return codex_item(type="function_call", name=name, arguments=arguments, call_id=id)


def output(id, body, type="function_call_output"):
    return codex_item(type=type, call_id=id, output=body)


def test_items_are_messages_and_copies_for_display_are_not_counted_again():
    messages = read(
        codex_meta(),
        codex_says("developer", "rules"),
        codex_says("user", "Fix it."),
        codex_event(type="user_message", message="Fix it."),
        codex_event(type="agent_message", message="I look."),
        codex_says("assistant", "I look."),
        function_call("c1"),
        output("c1", "a.py"),
        codex_event(type="token_count", info={}),
    )
    assert [m.role for m in messages] == ["system", "user", "assistant", "assistant", "tool"]
    assert [m.origin for m in messages] == ["other", "request", "other", "other", "other"]


def test_what_stands_under_user_but_nobody_typed_is_no_request():
    messages = read(
        codex_meta(),
        codex_says("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        codex_says("user", "# AGENTS.md instructions for /x\nBe brief."),
        codex_says("user", "Something a wrapper added"),
        codex_says("user", "Fix it."),
        codex_event(type="user_message", message="Fix it."),
        codex_says("assistant", "ok"),
    )
    assert [m.origin for m in messages[:4]] == ["injected", "injected", "injected", "request"]


def test_every_kind_of_call_is_paired_with_its_output():
    source = load(
        jsonl(
            codex_meta(),
            codex_says("user", "go"),
            function_call("f"),
            output("f", "1"),
            codex_item(type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="p"),
            output("p", "2", "custom_tool_call_output"),
            codex_item(type="local_shell_call", call_id="l", status="completed", action={"command": ["ls"]}),
            output("l", "3"),
            codex_says("assistant", "done"),
        )
    )
    calls = [part for m in source.transcripts[0].messages for part in m.calls]
    assert [(call.name, call.call_id) for call in calls] == [("shell", "f"), ("apply_patch", "p"), ("local_shell", "l")]
    assert faults_of(source) == []


def test_parallel_calls_with_outputs_in_any_order_are_no_fault():
    data = jsonl(
        codex_meta(),
        codex_says("user", "go"),
        function_call("a"),
        function_call("b"),
        output("b", "2"),
        output("a", "1"),
        codex_says("assistant", "done"),
    )
    assert faults_of(load(data)) == []


def test_outputs_are_strings_lists_or_objects_with_success():
    messages = read(
        codex_meta(),
        function_call("a"),
        output("a", "plain"),
        function_call("b"),
        output("b", [{"type": "input_text", "text": "one"}, {"type": "input_image", "image_url": "data:x"}]),
        function_call("c"),
        output("c", {"content": "failed", "success": False}),
        function_call("d"),
        output("d", None),
    )
    results = [m.results[0] for m in messages if m.role == "tool"]
    assert [r.text for r in results] == ["plain", "one", "failed", ""]
    assert [r.failed for r in results] == [None, None, True, None]
    assert results[1].tokens == 1 + IMAGE_TOKENS


def test_a_shortened_list_stays_a_list_of_the_same_kind_of_block():
    blocks = [{"type": "input_text", "text": listing("cat", 200)}]
    raw = json.dumps(output("a", blocks)).encode()
    data = jsonl(codex_meta(), codex_says("user", "go"), function_call("a"), raw, codex_says("assistant", "ok"))
    line = next(x for x in lines_of(compact(data, target_tokens=500).data) if b"function_call_output" in x)
    assert [block["type"] for block in json.loads(line)["payload"]["output"]] == ["input_text"]
    assert_changed_only_at(raw, line, ("payload", "output"))


def test_arguments_stay_a_string_and_encrypted_reasoning_stays_whole_or_goes():
    reasoning = codex_item(type="reasoning", summary=[], content=None, encrypted_content="gAAAA" * 400)
    long = json.dumps({"command": ["bash", "-lc", prose("the script", 200)]})
    data = jsonl(
        codex_meta(),
        codex_says("user", "go"),
        reasoning,
        function_call("a", arguments=long),
        output("a", "done"),
        codex_says("assistant", "ok"),
    )
    out = compact(data, target_tokens=1200, keep_last=4).data
    arguments = next(v["payload"]["arguments"] for v in values_of(out) if v["payload"].get("type") == "function_call")
    assert isinstance(arguments, str)
    assert len(arguments) < len(long)
    assert json.loads(arguments)["command"][:2] == ["bash", "-lc"]
    assert json.dumps(reasoning, ensure_ascii=False).encode() in lines_of(out)


def test_copies_for_display_follow_their_message():
    data = jsonl(codex_meta(), *codex_exchanges(30))
    values = values_of(compact(data, target_ratio=0.3, strategy="tiered").data)
    items = [v["payload"] for v in values if v["type"] == "response_item"]
    texts = {item["content"][0]["text"] for item in items if item["type"] == "message"}
    copies = [v["payload"]["message"] for v in values if v["type"] == "event_msg"]
    assert 0 < len(copies) < 60
    assert set(copies) <= texts
    assert {text for text in texts if not text.startswith("## Session Summary")} <= set(copies)


def test_copies_of_messages_with_the_same_text_follow_each_their_own():
    def again():
        yield codex_says("user", "continue")
        yield codex_event(type="user_message", message="continue")

    records = [codex_meta()]
    for exchange in range(20):
        records += [*again(), codex_says("assistant", f"Answer {exchange}: {prose(f'answer {exchange}', 12)}")]
    values = values_of(compact(jsonl(*records), target_ratio=0.3, strategy="tiered").data)
    items = [v for v in values if v["type"] == "response_item" and v["payload"]["content"][0]["text"] == "continue"]
    copies = [v for v in values if v["type"] == "event_msg"]
    assert 0 < len(items) < 20
    assert len(copies) == len(items)


def test_copies_of_reasoning_follow_it():
    records = [codex_meta()]
    for at in range(20):
        thought = f"**Thinking about part {at}**\n\n{prose(f'thought {at}', 6)}"
        records += [
            codex_says("user", f"Request {at}: {prose(f'request {at}', 3)}"),
            codex_item(type="reasoning", summary=[{"type": "summary_text", "text": thought}], encrypted_content="gA"),
            codex_event(type="agent_reasoning", text=thought),
            codex_says("assistant", f"Answer {at}: {prose(f'answer {at}', 6)}"),
        ]
    values = values_of(compact(jsonl(*records), target_ratio=0.3).data)
    thoughts = [v for v in values if v["payload"].get("type") == "reasoning"]
    copies = [v for v in values if v["payload"].get("type") == "agent_reasoning"]
    assert len(thoughts) < 20
    assert len(copies) == len(thoughts)


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
    assert faults_of(source) == []
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
    messages = read(codex_meta(), long, codex_says("user", "A newer one."), compacted)
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
    assert [m.text() for m in read(codex_meta(), rules, *codex_exchanges(2), back)] == ["Rules."]


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
        len(read(codex_meta(), codex_item(type="ghost_snapshot", ghost_commit={"id": "c"}), codex_says("user", "x")))
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


def test_escapes_of_a_terminal_and_nul_characters_survive_in_kept_records():
    body = "\x1b[31mred\x1b[0m\x00 end"
    raw = json.dumps(output("a", body)).encode()
    assert b"\\u001b" in raw
    assert b"\\u0000" in raw
    data = jsonl(codex_meta(), *codex_exchanges(20), function_call("a"), raw, codex_says("assistant", "ok"))
    assert raw in lines_of(compact(data, target_ratio=0.3).data)
    assert read(codex_meta(), function_call("a"), raw)[1].results[0].text == body


def test_session_records_and_unknown_ones_pass_through():
    world = {"timestamp": "t", "type": "world_state", "payload": {"n": 2**70}}
    new = {"timestamp": "t", "type": "brand_new", "payload": {"x": 1.0}}
    turn = {"timestamp": "t", "type": "turn_context", "payload": {"cwd": "/x"}}
    data = jsonl(codex_meta(cwd="/x"), turn, world, new, *codex_exchanges(20))
    assert lines_of(compact(data, target_ratio=0.3).data)[:4] == lines_of(data)[:4]


def test_other_items_are_counted_without_what_is_encrypted():
    item = codex_item(type="web_search_call", action={"query": "x"}, encrypted_content="A" * 100_000)
    assert read(codex_meta(), codex_says("user", "x"), item)[1].tokens < 50
