"""ATIF: a step of the agent is what it said, its calls and what they returned; steps are counted without a gap."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, jsonl, load, prose
from tests.formats.checkers.atif import check_steps, check_trajectory
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "atif"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = sorted((REAL / "atif").glob("*")) if (REAL / "atif").is_dir() else []
# counted by hand
GOLDEN = {
    "timetable.json": (
        {"system": 2, "user": 3, "assistant": 6, "tool": 4},
        2,
        {"text": 10, "image": 1, "thinking": 1, "tool_call": 6, "tool_result": 5},
    ),
    "steps.jsonl": ({"user": 12, "assistant": 11}, 2, {"text": 23}),
    "list.json": ({"user": 24, "assistant": 22}, 4, {"text": 46}),
}
GOLDEN_REAL = {
    "openhands-hello-world.trajectory.json": (
        {"system": 3, "user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 6, "tool_call": 2, "tool_result": 1},
    ),
    "hello-world-context-summarization.trajectory.json": (
        {"user": 2, "assistant": 7, "tool": 7, "system": 1},
        2,
        {"text": 10, "tool_call": 7, "tool_result": 7},
    ),
    "hello-world-context-summarization-linear-history.trajectory.cont-1.json": (
        {"user": 7, "assistant": 5},
        3,
        {"text": 12},
    ),
}


def check(value):
    """A document, a list of documents, or steps."""
    if isinstance(value, dict):
        check_trajectory(value)
    elif "steps" in value[0]:
        for one in value:
            check_trajectory(one)
    else:
        check_steps(value)


def value_of(path, data):
    return [json.loads(line) for line in data.splitlines()] if path.suffix == ".jsonl" else json.loads(data)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    roles, requests, parts = GOLDEN[name]
    source = loaded(FOLDER / name)
    assert source.format == "atif"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"]) == (roles, requests, parts)


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    roles, requests, parts = GOLDEN_REAL[name]
    found = figures(loaded(REAL / "atif" / name))
    assert (found["roles"], found["requests"], found["parts"]) == (roles, requests, parts)


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_validator_takes(path):
    data = path.read_bytes()
    assert_untouched(data)
    check(value_of(path, data))
    for out in compactions(data):
        check(value_of(path, out))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_results_answer_the_calls_that_they_name_or_else_the_open_calls_in_order():
    messages = loaded(FOLDER / "timetable.json").transcripts[0].messages
    calls = {p.call_id: json.loads(p.text).get("command", "") for m in messages for p in m.calls}
    results = {p.call_id: p.text for m in messages for p in m.results}
    assert calls["c1"] == "cat ferries.csv"
    assert results["c1"].startswith("ferry 0:")
    assert results["c2"].startswith("pier 0:")
    assert results["c5"] == "café boat, pier 4\n"
    assert (results["c3"], results["c4"]) == ("", "")  # a subagent's work, and nothing recorded
    assert "c6" not in results  # work in flight


def test_what_an_agent_that_acts_in_text_gets_back_is_no_request_and_goes_with_the_step():
    source = loaded(FOLDER / "steps.jsonl")
    messages = source.transcripts[0].messages
    assert [m.origin for m in messages if m.role == "user"] == ["request", *["injected"] * 10, "request"]
    for out in compactions((FOLDER / "steps.jsonl").read_bytes()):
        kept = load(out).transcripts[0].messages
        assert all(kept[at - 1].records == m.records for at, m in enumerate(kept) if m.origin == "injected")


def test_steps_are_numbered_anew_and_nothing_else_of_kept_ones_changes():
    steps = [json.loads(line) for line in (FOLDER / "steps.jsonl").read_text().splitlines()]
    odd = [json.dumps(step).replace('"step_id": ', '"step_id" :  ') for step in steps]
    out = compact(jsonl(*odd), target_ratio=0.4, strategy="truncate").data.decode().splitlines()
    assert 2 < len(out) < len(steps)
    assert [json.loads(line)["step_id"] for line in out] == list(range(1, len(out) + 1))
    known = {line.split(",", 1)[1]: line for line in odd}
    kept = [line for line in out if line.split(",", 1)[1] in known]
    assert len(kept) > 2
    assert all(line.startswith('{"step_id" :  ') for line in kept)


def test_subagents_and_everything_around_the_steps_stay_as_they_are():
    data = (FOLDER / "timetable.json").read_bytes()
    before = json.loads(data)
    for out in compactions(data):
        after = json.loads(out)
        assert {**after, "steps": 0} == {**before, "steps": 0}


def test_a_picture_that_is_left_out_becomes_a_text_part():
    steps = [
        {"step_id": at + 1, "source": "user" if at % 2 == 0 else "agent", "message": prose(f"step {at}", 4)}
        for at in range(6)
    ]
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}
    steps[4]["message"] = [{"type": "text", "text": "What is this?"}, picture]
    out = [json.loads(line) for line in compact(jsonl(*steps), target_tokens=900).data.splitlines()]
    check_steps(out)
    assert {"type": "text", "text": "[image left out]"} in next(s["message"] for s in out if "What" in str(s))


@pytest.mark.parametrize(
    "value",
    [
        {"step_id": "1", "source": "user", "message": "x"},
        {"step_id": 1, "source": "tool", "message": "x"},
        {"step_id": 1, "source": "agent"},
        {"id": 1, "source": "user", "message": "x", "action": "message", "args": {}},
    ],
)
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["atif"].recognize(value) == 0
