"""OpenAI's Responses API: requests, batch files, items a line."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, assert_restored, assert_untouched, compactions, figures, loaded, tried

FOLDER = CASES / "openai-responses"
FILES = sorted(FOLDER.iterdir())
# counted by hand in items.jsonl: messages by role, requests, parts by kind
GOLDEN = (
    {"system": 1, "user": 3, "assistant": 9, "tool": 3},
    3,
    {"text": 7, "image": 1, "thinking": 2, "other": 1, "tool_call": 3, "tool_result": 3},
)


def lists_of(data):
    """The items of each conversation of a file."""
    lines = [json.loads(line) for line in data.splitlines()] if not data.startswith(b"{\n") else [json.loads(data)]
    if "input" in lines[0]:
        return [lines[0]["input"]]
    return [line["body"]["input"] for line in lines] if "body" in lines[0] else [lines]


def check_items(items):
    """What the API refuses: an output without its call, a call without its output, thinking with nothing behind it."""
    called = {item["call_id"] for item in items if item.get("type") == "function_call"}
    answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    assert called == answered
    for item, behind in pairwise(items):
        if item.get("type") == "reasoning":
            assert behind["type"] in ("function_call", "message", "reasoning", "web_search_call")
            assert behind.get("role", "assistant") == "assistant"
    assert not items or items[-1].get("type") != "reasoning"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_items_are_those_counted_by_hand(path):
    source = loaded(path)
    assert source.format == "openai-responses"
    assert find_faults(source) == []
    found = figures(source)
    times = len(source.transcripts)
    apart = path.name == "request.json"  # its instructions stand beside the items
    assert times == (2 if path.name == "batch.jsonl" else 1)
    roles = {name: count * times for name, count in GOLDEN[0].items()}
    parts = {name: count * times for name, count in GOLDEN[2].items()}
    assert found["roles"] == {**roles, "system": roles["system"] + apart}
    assert found["parts"] == {**parts, "text": parts["text"] + apart}
    assert found["requests"] == GOLDEN[1] * times


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_output_is_one_that_the_api_takes(path):
    data = path.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    assert len(outputs) >= tried() // 2
    for out in outputs:
        for items in lists_of(out):
            check_items(items)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_instructions_and_tools_stay_as_they_are():
    data = (FOLDER / "request.json").read_bytes()
    before, out = json.loads(data), json.loads(compact(data, target_ratio=0.25).data)
    assert {**out, "input": 0} == {**before, "input": 0}
    assert load(data).transcripts[0].messages[0].text() == "You watch a kiln."


def test_an_encrypted_thought_is_the_original_or_gone():
    data = (FOLDER / "items.jsonl").read_bytes()
    thoughts = {line for line in data.splitlines() if b"encrypted_content" in line}
    for ratio in (0.5, 0.25, 0.15):
        out = compact(data, target_ratio=ratio).data
        assert thoughts.issuperset(line for line in out.splitlines() if b"encrypted_content" in line)
