"""LangChain messages in three forms, and the traces that hold them."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded, tried

FOLDER = CASES / "langchain"
FILES = sorted(FOLDER.iterdir())
FORMS = ("flat.json", "dicts.jsonl", "dumpd.json")
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = (
    {"system": 1, "user": 3, "assistant": 6, "tool": 4},
    3,
    {"text": 9, "image": 1, "tool_call": 4, "tool_result": 4},
    1,
)
REAL_FILES = [REAL / "langchain" / name for name in ("dumpd.json", "flat.json", "messages_to_dict.json")]


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"], found["failed"]


@pytest.mark.parametrize("name", FORMS)
def test_all_forms_of_a_conversation_are_read_alike(name):
    source = loaded(FOLDER / name)
    assert source.format == "langchain"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN


@pytest.mark.skipif(not REAL_FILES[0].exists(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.name)
def test_real_messages_are_those_counted_by_hand(path):
    found = figures(loaded(path))
    assert found["roles"] == {"system": 1, "user": 4, "assistant": 30, "tool": 27}
    assert found["parts"]["tool_call"] == found["parts"]["tool_result"] == 27
    assert_untouched(path.read_bytes())
    assert len(list(compactions(path.read_bytes()))) >= tried() * 3 // 4


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_output_is_of_the_same_form(path):
    data = path.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    assert len(outputs) >= tried() // 2
    for out in outputs:
        assert figures(load(out))["roles"]["assistant"] >= 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("flat.json", lambda m: m["type"] == "human" and isinstance(m["content"], str)),
        ("dicts.jsonl", lambda m: m["type"] == m["data"]["type"] == "human"),
        ("dumpd.json", lambda m: m["id"][-1] == "HumanMessage" and m["kwargs"]["type"] == "human"),
    ],
)
def test_a_summary_has_the_form_of_its_neighbours(name, shape):
    out = compact((FOLDER / name).read_bytes(), target_ratio=0.25, strategy="tiered").data
    records = [json.loads(line) for line in out.splitlines()] if name.endswith("l") else json.loads(out)
    messages = records["messages"] if isinstance(records, dict) else records
    summaries = [message for message in messages if "## Session Summary" in json.dumps(message)]
    assert summaries
    assert all(shape(message) for message in summaries)


def test_a_call_that_stands_in_a_message_three_times_is_read_once_and_shortened_everywhere():
    data = (FOLDER / "flat.json").read_bytes()
    source = load(data)
    booking = next(m for m in source.transcripts[0].messages if any(p.name == "book" for p in m.calls))
    assert [part.kind for part in booking.parts] == ["text", "tool_call"]
    (record,) = booking.records
    raw = source.transcripts[0].raw(record)
    edits = FORMATS["langchain"].edits(raw, [(booking.calls[0], '{"berth":41}')])
    kept = json.loads(jsonedit.replace(raw, edits))
    assert kept["tool_calls"][0]["args"] == kept["content"][1]["input"] == {"berth": 41}
    assert kept["additional_kwargs"]["tool_calls"][0]["function"]["arguments"] == '{"berth":41}'


def test_of_a_trace_the_newest_run_of_a_model_is_the_conversation():
    source = loaded(FOLDER / "runs.json")
    assert source.format == "langchain"
    assert len(source.transcripts) == 1
    assert len(source.transcripts[0].messages) == 13
    out = json.loads(compact((FOLDER / "runs.json").read_bytes(), target_ratio=0.3).data)
    before = json.loads((FOLDER / "runs.json").read_bytes())
    assert [run["outputs"] for run in out] == [run["outputs"] for run in before]
    assert (out[0], out[2]) == (before[0], before[2])


def test_the_context_that_the_provider_counted_is_shown(run, tmp_path):
    (tmp_path / "s.jsonl").write_bytes((FOLDER / "dicts.jsonl").read_bytes())
    recorded = json.loads(run("inspect", "s.jsonl", "--json").stdout)["context"]["recorded"]
    assert recorded["tokens"] == 2130
