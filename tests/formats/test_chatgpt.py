"""Exports of ChatGPT: trees of nodes in an object, of which one way counts."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "chatgpt"
FILES = sorted(FOLDER.iterdir())
# counted by hand: conversations, messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "conversations.json": (
        3,
        {"user": 9, "assistant": 12, "tool": 2},
        7,
        {"text": 17, "thinking": 2, "tool_call": 2, "tool_result": 2, "image": 1},
        0,
    ),
    "one.json": (
        1,
        {"user": 5, "assistant": 8, "tool": 2},
        3,
        {"text": 9, "thinking": 2, "tool_call": 2, "tool_result": 2, "image": 1},
        0,
    ),
}


def found_in(source):
    found = figures(source)
    return tuple(found[key] for key in ("conversations", "roles", "requests", "parts", "failed"))


def conversations(data):
    value = json.loads(data)
    return value if isinstance(value, list) else [value]


def messages_of(name):
    return loaded(FOLDER / name).transcripts[0].messages


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "chatgpt"
    assert find_faults(source) == []
    assert found_in(source) == GOLDEN[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_outputs_are_trees_whose_nodes_stand_under_their_ids(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data):
        for before, after in zip(conversations(data), conversations(out), strict=True):
            assert {**before, "mapping": 0} == {**after, "mapping": 0}
            nodes = after["mapping"]
            assert all(node["id"] == name for name, node in nodes.items())
            for name, node in nodes.items():
                assert node["parent"] is None or name in nodes[node["parent"]]["children"]
                assert all(nodes[child]["parent"] == name for child in node["children"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_the_way_to_the_current_node_counts():
    texts = [message.text() for message in messages_of("one.json")]
    assert texts[-1].startswith("A circle of 60 cm")
    assert not any(text in ("Barrel 2 leaks, I would say.", "About two fingers.") for text in texts)


@pytest.mark.parametrize("strategy", ["handoff", "truncate"])
def test_the_right_end_is_found_where_the_current_node_is_gone(strategy):
    data = (FOLDER / "conversations.json").read_bytes()
    for ratio in (0.5, 0.1):
        result = compact(data, target_ratio=ratio, strategy=strategy)
        for part, again in zip(result.parts, load(result.data).transcripts, strict=True):
            assert [m.text() for m in part.messages] == [m.text() for m in again.messages]


def test_other_branches_stay_unless_they_are_to_be_left_out():
    data = (FOLDER / "one.json").read_bytes()
    kept, dropped = (compact(data, target_ratio=0.5, drop_outside=drop).data for drop in (False, True))
    assert b"About two fingers." in kept
    assert b"About two fingers." not in dropped


def test_an_answer_to_a_tool_is_a_call_and_its_next_message_the_result():
    found = [(p.kind, p.name) for m in messages_of("one.json") for p in m.parts if p.kind.startswith("tool")]
    assert found == [("tool_call", "python"), ("tool_result", "python"), ("tool_call", "web"), ("tool_result", "web")]


def test_a_further_message_of_a_tool_stays_or_goes_with_the_call():
    messages = messages_of("one.json")
    further = next(message for message in messages if message.text().startswith("Wind three turns"))
    assert (further.role, further.origin) == ("user", "injected")
    caller = next(message for message in messages if message.calls and message.calls[0].name == "web")
    assert further.turn == caller.turn == caller.index


def test_what_the_user_told_once_for_all_is_no_request_and_never_changed():
    first = messages_of("one.json")[0]
    assert (first.role, first.origin, first.parts[0].place) == ("user", "injected", None)
    assert "Litres and centimetres" in first.text()


def test_what_the_model_thought_is_never_changed():
    places = [part.place for m in messages_of("one.json") for part in m.parts if part.kind == "thinking"]
    assert places == [None, None]


def test_a_conversation_without_messages_is_one():
    assert loaded(FOLDER / "conversations.json").transcripts[2].messages == ()


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "parent": None, "children": []},
        {"id": "a", "message": {"role": "user", "content": "hi"}, "parent": None, "children": []},
        {"id": "a", "message": "hi", "parent": None, "children": []},
    ],
)
def test_records_of_others_are_not_claimed(record):
    assert FORMATS["chatgpt"].recognize(record) == 0
