"""Traces of LangSmith and Langfuse: the newest run of a model in each trace is the conversation."""

from __future__ import annotations

import json

import pytest

from tests.builders import assistant, call, calling_message, compact, jsonl, listing_output, load, result, user
from tests.formats.roundtrip import REAL, assert_untouched

CHAT = [
    user("Count the rows of tides.csv. Do not change it."),
    calling_message(call("c1", "read", '{"path": "tides.csv"}')),
    result("c1", listing_output("row", 60)),
    assistant("It has 60 rows."),
    user("And of gauges.csv?"),
]
DUMPS = REAL / "langsmith"


def run_of(number, messages, trace="t"):
    return {
        "id": f"r{number}",
        "trace_id": trace,
        "run_type": "llm",
        "dotted_order": f"2026050{number}",
        "inputs": {"messages": messages},
        "outputs": {"choices": [{"message": {"role": "assistant", "content": "done"}}]},
    }


def observation(number, given, kind="GENERATION"):
    start = f"2026-05-01T10:0{number}:00Z"
    return {"id": f"o{number}", "traceId": "t", "type": kind, "startTime": start, "input": given, "output": "done"}


TRACES = {
    "runs": [run_of(1, CHAT[:1]), run_of(2, CHAT)],
    "dump": {"post": [run_of(1, CHAT[:1]), run_of(2, CHAT)], "patch": [{"id": "r2", "outputs": {}}]},
    "observations": {
        "id": "t",
        "observations": [observation(2, CHAT), observation(1, CHAT[:1]), observation(3, {}, "SPAN")],
    },
    "observations with texts": [observation(1, json.dumps(CHAT[:1])), observation(2, json.dumps(CHAT))],
    "an input with a member": [observation(2, {"messages": CHAT, "tools": []}), observation(1, {"messages": CHAT[:1]})],
}


def strings(value):
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


@pytest.mark.parametrize("name", TRACES)
def test_the_newest_run_of_a_model_is_read_and_written_and_the_rest_stays(name):
    data = json.dumps(TRACES[name]).encode()
    source = load(data)
    assert [len(t.messages) for t in source.transcripts] == [5]
    assert_untouched(data)
    written = compact(data, target_ratio=0.4).data
    assert len(written) < len(data) - 500
    out = json.loads(written)
    assert list(strings(out)).count("done") == list(strings(TRACES[name])).count("done")


def test_an_end_that_is_no_object_is_none():
    dump = {"post": [run_of(1, CHAT)], "patch": ["r1", None, {"id": "r1", "outputs": {}}]}
    assert [len(t.messages) for t in load(json.dumps(dump).encode()).transcripts] == [5]


def test_each_trace_of_a_list_has_a_conversation_of_its_own():
    source = load(json.dumps([run_of(1, CHAT, "a"), run_of(2, CHAT[:3], "b"), run_of(3, CHAT[:1], "b")]).encode())
    assert [len(t.messages) for t in source.transcripts] == [5, 1]


def test_a_run_a_line_is_a_conversation_a_line():
    source = load(jsonl(run_of(1, CHAT[:1]), run_of(2, CHAT)))
    assert [len(t.messages) for t in source.transcripts] == [1, 5]


@pytest.mark.skipif(not DUMPS.exists(), reason="the folder of real transcripts is not here")
def test_real_dumps_are_read():
    for name in ("js_wrap_openai_default.json", "py_wrap_openai_reasoning.json"):
        (transcript,) = load((DUMPS / name).read_bytes()).transcripts
        assert [m.role for m in transcript.messages] == ["user"]
        assert_untouched((DUMPS / name).read_bytes())
