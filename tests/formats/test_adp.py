"""Agent Data Protocol: actions and observations without ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.errors import InputError
from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, jsonl, load
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "adp"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = sorted((REAL / "adp").glob("*std.json")) if (REAL / "adp").is_dir() else []
# counted by hand: conversations, messages by role, requests, parts by kind
GOLDEN = {
    "boats.json": (
        1,
        {"user": 4, "assistant": 4, "tool": 2},
        2,
        {"text": 7, "other": 2, "tool_call": 3, "tool_result": 2},
    ),
    "phone.json": (
        1,
        {"user": 2, "assistant": 2, "tool": 1},
        1,
        {"text": 4, "image": 1, "tool_call": 2, "tool_result": 1},
    ),
}
GOLDEN_REAL = {
    "androidcontrol.sample_std.json": (
        3,
        {"user": 6, "assistant": 8, "tool": 8},
        3,
        {"text": 14, "image": 3, "tool_call": 8, "tool_result": 8},
    ),
    "nnetnav-wa.sample_std.json": (
        2,
        {"user": 4, "assistant": 7, "tool": 5},
        2,
        {"text": 13, "other": 7, "tool_call": 5, "tool_result": 5},
    ),
    "weblinx.sample_std.json": (
        1,
        {"user": 1, "assistant": 3, "tool": 1},
        1,
        {"text": 2, "other": 1, "tool_call": 2, "tool_result": 1},
    ),
}
KEYS = {
    "message_action": {"class_", "content", "description"},
    "api_action": {"class_", "function", "kwargs", "description"},
    "code_action": {"class_", "language", "content", "description"},
    "text_observation": {"class_", "content", "name", "source"},
    "web_observation": {"class_", "html", "axtree", "url", "viewport_size", "image_observation"},
    "image_observation": {"class_", "content", "annotations", "source"},
}


def found_in(path):
    found = figures(loaded(path))
    return found["conversations"], found["roles"], found["requests"], found["parts"]


def check_schema(data):
    """Every record has only the members of its class, and text where text belongs."""
    documents = [json.loads(line) for line in data.splitlines()] if b"\n{" in data else json.loads(data)
    for document in documents if isinstance(documents, list) else [documents]:
        for record in document["content"]:
            assert set(record) <= KEYS[record["class_"]]
            if record["class_"] == "api_action":
                assert isinstance(record["kwargs"], dict)
            elif record["class_"] == "text_observation":
                assert record["source"] in ("user", "agent", "environment")
                assert isinstance(record["content"], str)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "adp"
    assert find_faults(source) == []
    assert found_in(FOLDER / name) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    assert found_in(REAL / "adp" / name) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_of_the_schema(path):
    data = path.read_bytes()
    assert_untouched(data)
    check_schema(data)
    for out in compactions(data):
        check_schema(out)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_an_observation_answers_the_action_before_it_and_more_of_them_stay_with_it():
    messages = loaded(FOLDER / "boats.json").transcripts[0].messages
    assert [m.role for m in messages[:4]] == ["user", "user", "assistant", "tool"]
    assert messages[1].origin == "injected"  # nothing was done yet
    assert messages[3].results[0].text.startswith("node 1 0:")
    assert messages[6].text() == "(the shell was closed)"
    assert messages[6].turn == messages[4].turn is not None


def test_what_a_screen_shows_is_read_and_told_where_the_picture_has_no_room():
    elements = [
        {"text": text, "element_type": "TextView"} for text in ("Past", "", "Fundoo friday\nJul 22, 2023 01:30 PM")
    ]
    screen = {"class_": "image_observation", "content": "1.png", "annotations": elements, "source": "user"}
    call = {"class_": "api_action", "function": "click", "kwargs": {"x": 5, "y": 39}, "description": "Open Past"}
    task = {"class_": "text_observation", "content": "When is the meeting?", "name": None, "source": "user"}
    records = jsonl({"id": "x", "content": [task, call, screen, call, screen]})
    result = load(records).transcripts[0].messages[2].results[0]
    assert (result.text, result.images) == ("Past\nFundoo friday\nJul 22, 2023 01:30 PM", 1)
    assert "Jul 22, 2023" in compact(records, target_tokens=300).data.decode()


def test_a_shortened_web_observation_has_no_picture_any_more():
    out = compact((FOLDER / "boats.json").read_bytes(), target_tokens=900).data
    seen = [r for r in json.loads(out)[0]["content"] if r["class_"] == "web_observation" and r["url"][-1] == "1"]
    assert all(len(r["axtree"]) > 900 or r["image_observation"] is None for r in seen)
    long = {**json.loads((FOLDER / "boats.json").read_bytes())[0]["content"][3]}
    records: list[Any] = [{"class_": "text_observation", "content": "Look.", "name": None, "source": "user"}]
    records += [{"class_": "api_action", "function": "look", "kwargs": {}, "description": None}, long]
    out = compact(jsonl({"id": "x", "content": records}), target_tokens=300).data
    shortened = json.loads(out)["content"][-1]
    assert "left out" in shortened["axtree"]
    assert shortened["image_observation"] is None


def test_rows_of_a_source_set_are_refused_with_the_way_on():
    with pytest.raises(InputError, match=r"unknown format.*--format"):
        load(jsonl({"id": "x", "question": "Why?", "answer": "Because."}))
    with pytest.raises(InputError):
        load(jsonl({"id": "x", "question": "Why?", "answer": "Because."}), format="adp")


@pytest.mark.parametrize("value", [{"class_": "Step"}, {"class_": ["api_action"]}, {"content": []}, {"class": "x"}])
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["adp"].recognize(value) == 0


def test_a_conversation_stays_one_when_records_of_no_known_kind_weigh_more_in_what_is_left():
    told = {"class_": "text_observation", "content": "Count the boats. " * 40, "name": None, "source": "user"}
    seen = {"class_": "web_observation", "html": None, "axtree": "boat " * 300, "url": "", "viewport_size": None}
    act = {"class_": "api_action", "function": "click", "kwargs": {"bid": "1"}, "description": None}
    odd = {"class_": "sound_observation", "content": "a horn"}
    document = [{"id": "a", "content": [told, odd, act, seen, act, seen, act, seen], "details": {}}]
    data = json.dumps(document).encode()
    assert load(data).format == "adp"
    left = compact(data, target_ratio=0.1).data
    kinds = [record["class_"] for record in json.loads(left)[0]["content"]]
    # what was told, what is of no known kind, and the exchange that the agent goes on from
    assert kinds == ["text_observation", "sound_observation", "api_action", "web_observation"]
    assert (load(left).format, len(load(left).transcripts)) == ("adp", 1)
