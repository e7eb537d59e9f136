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
    find_faults,
    jsonl,
    lines_of,
    listing_output,
    load,
    prose,
    read_records,
    values_of,
)


def function_call(id, name="shell", arguments='{"command": ["ls"]}'):
    return codex_item(type="function_call", name=name, arguments=arguments, call_id=id)


def output(id, body, type="function_call_output"):
    return codex_item(type=type, call_id=id, output=body)


def test_items_are_messages_and_copies_for_display_are_not_counted_again():
    messages = read_records(
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
    messages = read_records(
        codex_meta(),
        codex_says("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        codex_says("user", "# AGENTS.md instructions for /x\nBe brief."),
        codex_says("user", "Something a wrapper added"),
        codex_says("user", "Fix it."),
        codex_event(type="user_message", message="Fix it."),
        codex_says("assistant", "ok"),
    )
    assert [m.origin for m in messages[:4]] == ["injected", "injected", "injected", "request"]


def test_events_that_do_not_tell_of_most_requests_tell_of_none():
    said = [codex_says("user", f"Step {n}.") for n in range(4)]
    told = codex_event(type="user_message", message="Step 0.")
    messages = read_records(
        codex_meta(), told, *said, codex_says("user", "<environment_context>\n</environment_context>")
    )
    assert [m.origin for m in messages] == ["request"] * 4 + ["injected"]
    more = [codex_event(type="user_message", message=f"Step {n}.") for n in range(2)]
    assert [m.origin for m in read_records(codex_meta(), *more, *said)] == ["request"] * 2 + ["injected"] * 2


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
    assert find_faults(source) == []


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
    assert find_faults(load(data)) == []


def test_outputs_are_strings_lists_or_objects_with_success():
    messages = read_records(
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
    blocks = [{"type": "input_text", "text": listing_output("cat", 200)}]
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


def test_escapes_of_a_terminal_and_nul_characters_survive_in_kept_records():
    body = "\x1b[31mred\x1b[0m\x00 end"
    raw = json.dumps(output("a", body)).encode()
    assert b"\\u001b" in raw
    assert b"\\u0000" in raw
    data = jsonl(codex_meta(), *codex_exchanges(20), function_call("a"), raw, codex_says("assistant", "ok"))
    assert raw in lines_of(compact(data, target_ratio=0.3).data)
    assert read_records(codex_meta(), function_call("a"), raw)[1].results[0].text == body


def test_session_records_and_unknown_ones_pass_through():
    world = {"timestamp": "t", "type": "world_state", "payload": {"n": 2**70}}
    new = {"timestamp": "t", "type": "brand_new", "payload": {"x": 1.0}}
    turn = {"timestamp": "t", "type": "turn_context", "payload": {"cwd": "/x"}}
    data = jsonl(codex_meta(cwd="/x"), turn, world, new, *codex_exchanges(20))
    assert lines_of(compact(data, target_ratio=0.3).data)[:4] == lines_of(data)[:4]


def test_other_items_are_counted_without_what_is_encrypted():
    item = codex_item(type="web_search_call", action={"query": "x"}, encrypted_content="A" * 100_000)
    assert read_records(codex_meta(), codex_says("user", "x"), item)[1].tokens < 50


def test_the_first_request_that_was_typed_stays_for_the_list_of_threads():
    first = "Request zero. " + prose("zero", 300)
    data = jsonl(
        codex_meta(), codex_says("user", first), codex_event(type="user_message", message=first), *codex_exchanges(20)
    )
    out = compact(data, target_ratio=0.15).data
    assert first not in [m.text() for m in load(out).transcripts[0].messages]
    assert lines_of(data)[2] in lines_of(out)
