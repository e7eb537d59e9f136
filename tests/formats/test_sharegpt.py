"""ShareGPT: rows of who speaks and what; calls are JSON in a string, and results answer them in order."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, jsonl, load, prose
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "sharegpt"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = [
    REAL / name
    for name in (
        "sharegpt/glaive_toolcall_en_first80.json",
        "sharegpt/llamafactory_v1_first15.jsonl",
        "adp/nnetnav-wa.sample_sft.json",
        "adp/androidcontrol.sample_sft.json",
    )
    if (REAL / name).is_file()
]
# counted by hand: conversations, messages by role, requests, parts by kind
GOLDEN = {
    "boats.json": (
        2,
        {"user": 6, "assistant": 8, "tool": 2, "system": 1},
        6,
        {"text": 13, "tool_call": 3, "tool_result": 3},
    ),
    "typed.jsonl": (
        1,
        {"system": 1, "user": 2, "assistant": 3, "tool": 1},
        2,
        {"text": 5, "thinking": 2, "tool_call": 2, "tool_result": 2, "image": 1},
    ),
    "actions.jsonl": (1, {"system": 1, "user": 7, "assistant": 7}, 1, {"text": 15}),
    "orphan.json": (1, {"user": 2, "assistant": 2}, 1, {"text": 4}),
}
GOLDEN_REAL = {
    "sharegpt/glaive_toolcall_en_first80.json": (
        80,
        {"user": 210, "assistant": 269, "tool": 59},
        210,
        {"text": 420, "tool_call": 59, "tool_result": 59},
    ),
    "sharegpt/llamafactory_v1_first15.jsonl": (
        15,
        {"system": 15, "user": 23, "assistant": 40, "tool": 17},
        23,
        {"text": 58, "thinking": 40, "tool_call": 27, "tool_result": 21},
    ),
    "adp/nnetnav-wa.sample_sft.json": (2, {"system": 2, "user": 7, "assistant": 7}, 2, {"text": 16}),
}


def found_in(path):
    found = figures(loaded(path))
    return found["conversations"], found["roles"], found["requests"], found["parts"]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "sharegpt"
    assert find_faults(source) == []
    assert found_in(FOLDER / name) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    assert found_in(REAL / name) == GOLDEN_REAL[name]


@pytest.mark.drawn(8)
@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_has_rows_of_the_same_kind(path):
    data = path.read_bytes()
    assert_untouched(data)
    known = rows_by_shape(data)
    for out in compactions(data):
        assert set(rows_by_shape(out)) <= {*known, ("from", "value"), ("role", "content")}


def rows_by_shape(data):
    documents = [json.loads(line) for line in data.splitlines()] if data[:1] == b"{" else json.loads(data)
    documents = documents if isinstance(documents, list) else [documents]
    lists = [next(v for k, v in d.items() if k in ("conversations", "conversation", "messages")) for d in documents]
    return [tuple(row) for rows in lists for row in rows]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_one_row_answers_all_calls_that_are_left():
    messages = loaded(FOLDER / "boats.json").transcripts[0].messages
    assert [[p.text[:9] for p in m.results] for m in messages if m.results] == [["boat 0: a"], ['[{"pier":', ""]]
    assert [[p.name for p in m.calls] for m in messages if m.calls] == [["find_boat"], ["find_boat", "find_boat"]]


def test_arguments_are_shortened_inside_the_string_that_holds_the_call():
    long = prose("the note", 200)
    call = '{"name" : "write",  "arguments": {"path": "a.txt", "text": ' + json.dumps(long) + '}, "x": 1.0}'
    rows = [
        {"from": "human", "value": "Write it down."},
        {"from": "function_call", "value": call},
        {"from": "observation", "value": "written"},
        {"from": "gpt", "value": "Done."},
    ]
    out = compact(jsonl({"conversations": rows}), target_tokens=600).data
    row = json.loads(out)["conversations"][1]
    assert row["value"].startswith('{"name" : "write",  "arguments": {')
    assert row["value"].endswith('}, "x": 1.0}')
    assert len(json.loads(row["value"])["arguments"]["text"]) < len(long) / 2
    assert load(out).transcripts[0].messages[1].calls[0].name == "write"


def test_what_answers_an_action_written_as_text_is_no_request_and_stays_with_it():
    data = (FOLDER / "actions.jsonl").read_bytes()
    messages = load(data).transcripts[0].messages
    assert [m.origin for m in messages if m.role == "user"] == ["request", *["injected"] * 6]
    for out in compactions(data):
        rows = json.loads(out)["conversations"]
        for before, row in pairwise(rows):
            if row["value"].startswith("[Current URL"):
                assert before["from"] == "function_call"


def test_a_result_that_no_call_asked_for_is_text_and_is_not_repaired_away():
    data = (FOLDER / "orphan.json").read_bytes()
    assert [m.origin for m in load(data).transcripts[0].messages] == ["request", "other", "injected", "other"]


def test_a_call_without_a_result_is_given_one_that_is_read_as_its_answer():
    rows = [
        {"from": "human", "value": prose("the first question", 30)},
        {"from": "function_call", "value": '{"name": "a", "arguments": {}}'},
        {"from": "human", "value": prose("another question", 30)},
        *[{"from": "gpt", "value": prose(f"answer {at}", 30)} for at in range(6)],
    ]
    out = compact(jsonl({"conversations": rows}), target_ratio=0.6)
    source = load(out.data)
    assert find_faults(source) == []
    results = [p.text for m in source.transcripts[0].messages for p in m.results]
    assert not results or results == [json.loads(out.data)["conversations"][2]["value"]]


@pytest.mark.parametrize(
    "value",
    [
        {"from": "human", "text": "x"},
        {"from": "sam@example.org", "value": "x"},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
        {"role": "user", "content": "x"},
        {"from": ["human"], "value": "x"},
    ],
)
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["sharegpt"].recognize(value) == 0
