"""Conversations: a JSON value with messages on each line, or one document over a whole file."""

from __future__ import annotations

import json

import pytest

from compactor_cli.errors import InputError
from tests.builders import (
    assistant,
    compact,
    find_faults,
    jsonl,
    lines_of,
    listing_output,
    load,
    plain_exchanges,
    prose,
    system,
    text_block,
    tool_result,
    tool_use,
    user,
    values_of,
)

LONG = {"messages": [system(), *plain_exchanges(12)], "tools": [{"name": "shell"}], "n": 2**70}
SHORT = {"messages": [user("hi"), assistant("hello")]}


def test_every_line_is_a_conversation_of_its_own():
    source = load(jsonl(SHORT, LONG, SHORT))
    assert [len(t.messages) for t in source.transcripts] == [2, 25, 2]
    assert [t.messages[0].index for t in source.transcripts] == [0, 0, 0]


def test_each_conversation_is_compacted_on_its_own_and_short_ones_keep_their_bytes():
    odd_short = b'{"messages" : [ {"role":"user","content":"hi"} ] , "x":1.0}'
    data = jsonl(odd_short, LONG, odd_short)
    first, middle, last = lines_of(compact(data, target_tokens=600).data)
    assert (first, last) == (odd_short, odd_short)
    assert len(json.loads(middle)["messages"]) < 25


def test_what_stands_around_the_messages_keeps_its_bytes():
    before = b'{ "custom_id":"r-1",  "n": 1.50, "body": {"model": "m", "messages":'
    after = b' , "temperature": 1e0}, "zz\xc3\xa9": null }'
    data = before + json.dumps(LONG["messages"]).encode() + after + b"\n"
    out = compact(data, target_tokens=600).data
    assert out.startswith(before)
    assert out.endswith(after + b"\n")
    assert len(json.loads(out)["body"]["messages"]) < 25


def test_kept_messages_inside_a_conversation_keep_their_bytes():
    first = b'{"role":"system" ,"content":"Rules \\u5ddd", "x":[ ]}'
    rest = json.dumps([*plain_exchanges(12)])[1:].encode()
    out = compact(b'{"messages": [' + first + b", " + rest + b"}\n", target_ratio=0.4).data
    assert out.startswith(b'{"messages": [' + first)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [1, 2, 4])
def test_a_whole_pretty_printed_file_is_one_conversation_and_stays_valid(indent, newline):
    data = json.dumps(LONG, indent=indent).replace("\n", newline).encode() + newline.encode()
    source = load(data)
    assert (source.format, len(source.transcripts), len(source.transcripts[0].messages)) == ("conversations", 1, 25)
    out = compact(data, target_tokens=600).data
    value = json.loads(out)
    assert list(value) == list(LONG)
    assert value["n"] == 2**70
    assert len(value["messages"]) < 25
    assert out.endswith(b"}" + newline.encode())


def test_a_pretty_printed_file_that_is_damaged_is_refused_at_the_damage():
    data = b'{\n "messages": [\n  {"role": "user", "content": "a"},\n  {"role": "user", "content": }\n ]\n}\n'
    with pytest.raises(InputError) as caught:
        load(data)
    assert caught.value.line == 4


def test_a_list_of_messages_is_a_conversation():
    data = json.dumps([user("hi"), assistant("hello")], indent=2).encode()
    assert [m.role for m in load(data).transcripts[0].messages] == ["user", "assistant"]


REQUEST = {
    "model": "m",
    "system": [{"type": "text", "text": "Be careful.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        user("Look around."),
        assistant([text_block("I look."), tool_use("t1", path="a.py")]),
        user([tool_result("t1", listing_output("file", 150))]),
        assistant("Found it."),
    ],
    "tools": [{"name": "Bash", "input_schema": {}}],
}


@pytest.mark.parametrize("order", ["system first", "system last"])
@pytest.mark.parametrize("system", ["Be careful.", REQUEST["system"]], ids=["string", "blocks"])
def test_the_system_prompt_is_a_message_and_stays_where_it_stands(system, order):
    rest = {key: value for key, value in REQUEST.items() if key != "system"}
    value = {"system": system, **rest} if order == "system first" else {**rest, "system": system}
    data = jsonl(value)
    source = load(data)
    messages = source.transcripts[0].messages
    assert [m.role for m in messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert messages[0].text() == "Be careful."
    assert find_faults(source) == []
    out = values_of(compact(data, target_tokens=400).data)[0]
    assert list(out) == list(value)
    assert (out["system"], out["tools"], out["model"]) == (system, value["tools"], "m")
    assert "left out" in json.dumps(out["messages"], ensure_ascii=False)


def test_a_system_prompt_larger_than_the_budget_is_shortened_at_its_place():
    value = {"system": prose("the rules", 300), "messages": [user("hi"), assistant("hello")]}
    out = values_of(compact(jsonl(value), target_tokens=300).data)[0]
    assert len(out["system"]) < len(value["system"]) / 2
    assert out["messages"] == value["messages"]


def test_a_cut_off_last_conversation_is_left_out_and_noted():
    data = jsonl(SHORT, SHORT) + b'{"messages": [{"role": "us'
    assert [(note.kind, note.index) for note in load(data).notes] == [("cut_off_line", 3)]
    assert compact(data, target_tokens=1000).data == jsonl(SHORT, SHORT)


def test_a_damaged_conversation_is_left_out_when_asked_for():
    data = jsonl(SHORT, b"{broken", SHORT)
    with pytest.raises(InputError) as caught:
        load(data)
    assert caught.value.line == 2
    assert compact(data, skip_damaged=True, target_tokens=1000).data == jsonl(SHORT, SHORT)


def test_glued_conversations_are_two_and_the_missing_final_newline_stays_missing():
    text = json.dumps(LONG).encode()
    out = compact(text + text, target_tokens=600).data
    decoder, at = json.JSONDecoder(), 0
    for _ in range(2):
        _, at = decoder.raw_decode(out.decode(), at)
        at += len(out.decode()[at:]) - len(out.decode()[at:].lstrip())
    assert at == len(out.decode())
    assert not out.endswith(b"\n")


@pytest.mark.parametrize(
    "layout",
    [{"newline": "\r\n"}, {"final": False}, {"bom": True}, {"newline": "\n\n"}],
    ids=str,
)
def test_line_ends_and_marks_stay_between_conversations(layout):
    data = jsonl(LONG, SHORT, LONG, **layout)
    out = compact(data, target_tokens=600).data
    newline = layout.get("newline", "\n").encode()
    assert out.startswith(b"\xef\xbb\xbf") == layout.get("bom", False)
    assert out.endswith(newline) == layout.get("final", True)
    assert len(out.removesuffix(newline).split(newline)) == 3


def test_a_conversation_without_messages_passes_through():
    data = jsonl({"messages": []}, LONG)
    assert lines_of(compact(data, target_tokens=600).data)[0] == b'{"messages": []}'


def test_a_file_without_any_message_is_refused():
    with pytest.raises(InputError):
        load(jsonl({"messages": []}))
