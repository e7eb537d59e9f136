"""The message shape of seed 001 (Vercel AI SDK)."""

from __future__ import annotations

import json

import pytest

from tests.builders import (
    assistant,
    compact,
    find_faults,
    jsonl,
    listing_output,
    load,
    plain_exchanges,
    read_records,
    system,
    user,
    values_of,
)


def tool_call(id, name="read_file", key="args", **arguments):
    return {"type": "tool-call", "toolCallId": id, "toolName": name, key: arguments}


def tool_result(id, value, key="result", name="read_file", **extra):
    block = {"type": "tool-result", "toolCallId": id, "toolName": name, key: value, **extra}
    return {"role": "tool", "content": [block]}


def test_the_parts_of_both_versions_are_read():
    for call_key, result_key in (("args", "result"), ("input", "output")):
        messages = read_records(
            system(),
            user("go"),
            assistant(
                [
                    {"type": "reasoning", "text": "hm"},
                    {"type": "text", "text": "I look."},
                    tool_call("c1", key=call_key, path="a.py"),
                ]
            ),
            tool_result("c1", "content of a.py", key=result_key),
        )
        assert [m.role for m in messages] == ["system", "user", "assistant", "tool"]
        assert [part.kind for part in messages[2].parts] == ["thinking", "text", "tool_call"]
        call, result = messages[2].calls[0], messages[3].results[0]
        assert (call.name, call.call_id, json.loads(call.text)) == ("read_file", "c1", {"path": "a.py"})
        assert (result.text, result.call_id) == ("content of a.py", "c1")


def test_calls_beside_the_content_are_read():
    beside = assistant("I look.", toolCalls=[{"toolCallId": "c1", "toolName": "ls", "args": {"path": "."}}])
    data = jsonl(user("go"), beside, tool_result("c1", {"files": ["a"]}, name="ls"), assistant("ok"))
    source = load(data, format="ai-sdk")
    assert source.transcripts[0].messages[1].calls[0].name == "ls"
    assert source.transcripts[0].messages[2].results[0].text == '{"files":["a"]}'
    assert find_faults(source) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ({"type": "text", "value": "inside"}, "inside"),
        ({"lines": [1, 2]}, '{"lines":[1,2]}'),
        ([1, "two"], '[1,"two"]'),
        (None, ""),
    ],
)
def test_results_of_any_shape_have_a_text(value, text):
    assert read_records(assistant([tool_call("c")]), tool_result("c", value))[1].results[0].text == text


def test_results_that_are_objects_are_shortened_and_the_record_stays_readable():
    for value in (
        {"stdout": listing_output("cat", 200), "code": 0},
        {"type": "text", "value": listing_output("cat", 200)},
    ):
        data = jsonl(user("go"), assistant([tool_call("c")]), tool_result("c", value, isError=False), assistant("ok"))
        out = values_of(compact(data, target_tokens=400).data)
        block = out[2]["content"][0]
        assert (block["type"], block["toolCallId"], block["isError"]) == ("tool-result", "c", False)
        assert len(json.dumps(block)) < 2000


def test_a_summary_is_a_message_of_the_assistant_as_in_seed_001():
    data = jsonl(system(), *plain_exchanges(20), assistant([tool_call("c")]), tool_result("c", "x"), assistant("ok"))
    out = values_of(compact(data, target_ratio=0.3, format="ai-sdk").data)
    added = [value for value in out if isinstance(value["content"], str) and value["content"].startswith("## Session")]
    assert added
    assert {value["role"] for value in added} == {"assistant"}


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        ({"type": "text", "value": "inside"}, "inside", None),
        ({"type": "json", "value": {"lines": [1, 2]}}, '{"lines":[1,2]}', None),
        ({"type": "error-text", "value": "the quota is used up"}, "the quota is used up", True),
        ({"type": "error-json", "value": {"code": 7}}, '{"code":7}', True),
        ({"type": "execution-denied", "reason": "not now"}, "not now", True),
        (
            {"type": "content", "value": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            "one\ntwo",
            None,
        ),
        ({"type": "blob", "size": 3}, '{"type":"blob","size":3}', None),
    ],
)
def test_what_a_tool_returned_is_read_by_its_type(output, text, failed):
    result = read_records(assistant([tool_call("c")]), tool_result("c", output, key="output"))[1].results[0]
    assert (result.text, result.failed) == (text, failed)


def test_pictures_in_what_a_tool_returned_are_pictures_and_not_text():
    data = "iVBORw0KGgo" * 6000
    for picture in (
        {"type": "media", "data": data, "mediaType": "image/png"},
        {"type": "image-data", "data": data, "mediaType": "image/png"},
    ):
        output = {"type": "content", "value": [{"type": "text", "text": "the page"}, picture]}
        result = read_records(assistant([tool_call("c")]), tool_result("c", output, key="output"))[1].results[0]
        assert (result.text, result.images) == ("the page", 1)


@pytest.mark.parametrize(
    ("kind", "value", "cut"),
    [
        ("json", {"stdout": listing_output("cat", 200)}, "text"),
        ("error-json", {"stdout": listing_output("cat", 200)}, "error-text"),
        ("content", [{"type": "text", "text": listing_output("cat", 200)}], "content"),
        ("text", listing_output("cat", 200), "text"),
    ],
)
def test_a_cut_output_keeps_the_shape_that_the_sdk_asks_for(kind, value, cut):
    result = tool_result("c", {"type": kind, "value": value}, key="output")
    out = values_of(
        compact(jsonl(user("go"), assistant([tool_call("c")]), result, assistant("ok")), target_tokens=400).data
    )
    output = out[2]["content"][0]["output"]
    assert output["type"] == cut
    assert len(json.dumps(output)) < 2000
    assert isinstance(output["value"], list if cut == "content" else str)
