"""Anthropic messages, a message a line."""

from __future__ import annotations

import json

from compactor_cli.tokens.base import IMAGE_TOKENS
from tests.builders import (
    assert_changed_only_at,
    assistant,
    compact,
    find_faults,
    jsonl,
    lines_of,
    listing_output,
    load,
    plain_exchanges,
    read_records,
    text_block,
    tool_result,
    tool_use,
    user,
    values_of,
)

THINKING = {"type": "thinking", "thinking": "First I look.", "signature": "EqQBCkgIARAB=="}
REDACTED = {"type": "redacted_thinking", "data": "AAAA" * 500}


def test_blocks_become_parts_and_results_have_the_role_of_a_tool():
    messages = read_records(
        user([text_block("Look.")]),
        assistant([THINKING, text_block("I look."), tool_use("t1", "Read", path="a.py"), tool_use("t2")]),
        user([tool_result("t1", "text"), tool_result("t2", [text_block("more")], is_error=True)]),
        user([tool_result("t2", "again"), text_block("And then?")]),
    )
    assert [m.role for m in messages] == ["user", "assistant", "tool", "user"]
    assert [part.kind for part in messages[1].parts] == ["thinking", "text", "tool_call", "tool_call"]
    call, (first, second) = messages[1].calls[0], messages[2].results
    assert (call.name, call.call_id, json.loads(call.text)) == ("Read", "t1", {"path": "a.py"})
    assert [(r.call_id, r.text, r.failed) for r in (first, second)] == [("t1", "text", None), ("t2", "more", True)]


def test_a_turn_of_the_user_with_results_and_a_request_is_a_request():
    message = read_records(assistant([tool_use("t1")]), user([tool_result("t1", "x"), text_block("Now stop.")]))[1]
    assert (message.role, message.origin) == ("user", "request")


def test_parallel_calls_are_answered_in_the_next_message():
    data = jsonl(
        user("x"),
        assistant([tool_use("t1"), tool_use("t2")]),
        user([tool_result("t2", "2"), tool_result("t1", "1")]),
        assistant("done"),
    )
    assert find_faults(load(data)) == []


def test_thinking_comes_out_byte_for_byte_or_not_at_all():
    turns = []
    for at in range(8):
        raw = (
            b'{"role":"assistant" , "content":[{"type":"thinking","thinking":"step %d \\u00e9","signature":"S%d=="},'
            b'{"type":"redacted_thinking","data":"RR%d"},{"type":"tool_use","id":"t%d","name":"Bash","input":{"n":%d}}]}'
        ) % ((at,) * 5)
        turns += [raw, user([tool_result(f"t{at}", listing_output(f"run {at}", 80))])]
    data = jsonl(user("go"), *turns, assistant([text_block("done")]))
    for tokens in (600, 1000, 2000, 4000):
        out = compact(data, target_tokens=tokens).data
        assert len(out) < len(data)
        for line in lines_of(out):
            if b'"thinking"' in line:
                assert line in turns


def test_redacted_thinking_costs_nothing_and_images_a_fixed_sum():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 100_000}}
    redacted, pictured, returned = read_records(
        assistant([REDACTED]), user([image]), user([tool_result("t", [text_block("abcd"), image])])
    )
    assert redacted.tokens == 2
    assert pictured.tokens == 2 + IMAGE_TOKENS
    assert returned.tokens == 2 + 1 + IMAGE_TOKENS


def test_a_shortened_result_changes_only_its_content():
    raw = b'{"role": "user","content":[{"tool_use_id":"t1", "type":"tool_result","content":%s,"cache_control":{}}]}'
    raw = raw % json.dumps(listing_output("cat", 300)).encode()
    data = jsonl(user("x"), assistant([tool_use("t1")]), raw, assistant([text_block("ok")]))
    line = lines_of(compact(data, target_tokens=500).data)[2]
    assert len(line) < len(raw)
    assert_changed_only_at(raw, line, ("content", 0, "content"))


def test_a_result_of_blocks_stays_a_list_of_blocks():
    blocks = [text_block(listing_output("cat", 100)), text_block(listing_output("dog", 100))]
    data = jsonl(user("x"), assistant([tool_use("t1")]), user([tool_result("t1", blocks)]), assistant("ok"))
    body = values_of(compact(data, target_tokens=400).data)[2]["content"][0]["content"]
    assert [block["type"] for block in body] == ["text"]


def test_the_input_of_a_call_stays_an_object_when_it_is_shortened():
    big = {"path": "notes.md", "content": listing_output("notes", 400)}
    data = jsonl(user("x"), assistant([tool_use("t1", "Write", **big)]), user([tool_result("t1", "ok")]))
    block = values_of(compact(data, target_tokens=300, strategy="tiered").data)[1]["content"][0]
    assert block["input"]["path"] == "notes.md"
    assert len(block["input"]["content"]) < 1000


def test_results_without_a_body_are_results():
    bare = {"type": "tool_result", "tool_use_id": "t1"}
    source = load(jsonl(user("x"), assistant([tool_use("t1")]), user([bare]), assistant("ok")))
    assert find_faults(source) == []
    assert source.transcripts[0].messages[2].results[0].text == ""


def test_unknown_blocks_are_counted_without_their_data_and_pass_through():
    odd = {"type": "x_new", "blob": "Q" * 50_000, "note": "short"}
    data = jsonl(user([text_block("start"), odd]), *plain_exchanges(12), assistant([text_block("end"), tool_use("t9")]))
    assert read_records(user([odd]), assistant([tool_use("t")]))[0].tokens < 60
    assert values_of(compact(data, target_ratio=0.4).data)[0]["content"][1] == odd
