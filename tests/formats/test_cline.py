"""Cline 4's session documents, Cline 3's lists with tools called in text, and what its forks hide and keep."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import compact, find_faults, last_count, load
from tests.formats.checkers.cline import sent
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "cline"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = (
    [path for path in sorted((REAL / "cline").rglob("*.json")) if path.name.count(".") > 1]
    if (REAL / "cline").is_dir()
    else []
)
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "kiln.messages.json": (
        {"system": 1, "user": 3, "assistant": 5, "tool": 3},
        2,
        {"text": 9, "image": 1, "thinking": 1, "tool_call": 4, "tool_result": 4},
        1,
    ),
    "api_conversation_history.json": ({"user": 8, "assistant": 6}, 2, {"text": 22}, 0),
    "roo.json": (
        {"user": 3, "assistant": 4, "tool": 2},
        2,
        {"text": 7, "thinking": 1, "tool_call": 2, "tool_result": 2},
        1,
    ),
}
GOLDEN_REAL = {
    "1784094124598_rruoq.messages.json": (
        {"system": 1, "user": 6, "assistant": 16, "tool": 11},
        5,
        {"text": 21, "tool_call": 11, "tool_result": 11},
        0,
    ),
    "1784094124598_rruoq.compaction.json": ({"system": 1, "user": 2, "assistant": 1}, 1, {"text": 4}, 0),
}


def messages_of(data):
    value = json.loads(data)
    return value["messages"] if isinstance(value, dict) else value


def read(name):
    return loaded(FOLDER / name).transcripts[0]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "cline"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.name)
def test_real_messages_and_parts_are_those_counted_by_hand(path):
    source = loaded(path)
    found = figures(source)
    assert source.format == "cline"
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[path.name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_agent_would_send(path):
    data = path.read_bytes()
    assert_untouched(data)
    sent(messages_of(data))
    for out in compactions(data):
        sent(messages_of(out))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_what_stands_around_the_messages_stays():
    before = json.loads((FOLDER / "kiln.messages.json").read_bytes())
    for out in compactions((FOLDER / "kiln.messages.json").read_bytes()):
        after = json.loads(out)
        assert {**after, "messages": 0} == {**before, "messages": 0}


def test_an_attached_file_is_no_word_of_the_user_and_can_be_shortened():
    request, attached = read("kiln.messages.json").messages[1:3]
    assert (request.origin, request.text("text")) == (
        "request",
        "Put the firing curves of @kilns.py into one table.",
    )
    assert (attached.role, attached.origin, attached.records) == ("user", "injected", request.records)
    assert attached.parts[0].place.path == ("content", 1, "content")
    shortened = [
        block["content"]
        for out in compactions((FOLDER / "kiln.messages.json").read_bytes())
        for block in messages_of(out)[0]["content"]
        if block["type"] == "file"
    ]
    assert any("left out" in text or "lines ·" in text for text in shortened)


def test_results_say_themselves_whether_they_failed():
    results = {p.call_id: p for m in read("kiln.messages.json").messages for p in m.results}
    assert {call: part.failed for call, part in results.items()} == {
        "toolu_a": True,  # one of two files is not there
        "toolu_b": False,  # JSON in a string
        "toolu_c": False,
        "toolu_d": False,
    }


def test_results_of_tools_called_in_text_are_no_requests():
    messages = read("api_conversation_history.json").messages
    assert [m.index for m in messages if m.origin == "request"] == [0, 9]
    assert "<feedback>" in messages[9].text()
    assert {m.origin for m in messages if m.role == "user" and m.index not in (0, 9)} == {"injected"}


def test_a_result_that_quotes_the_words_of_a_user_is_no_request():
    messages = messages_of((FOLDER / "api_conversation_history.json").read_bytes())
    messages[2]["content"][1]["text"] += "\n<task>\nNot the user's.\n</task>"
    assert load(json.dumps(messages).encode()).transcripts[0].messages[3].origin == "injected"


def test_what_a_summary_or_a_truncation_hides_passes_through():
    data = (FOLDER / "roo.json").read_bytes()
    before = json.loads(data)
    transcript = read("roo.json")
    assert sorted(transcript.outside) == [0, 1, 2, 3, 6, 7]
    texts = "\n".join(m.text() for m in transcript.messages)
    assert "Go on." in texts  # its summary is not there any more
    assert [m.origin for m in transcript.messages if m.pinned] == ["summary", "other"]
    for out in compactions(data):
        after = json.loads(out)
        assert all(before[at] in after for at in (0, 1, 2, 3, 6, 7))
        assert {m.get("condenseId") or m.get("truncationId") for m in after} >= {"cond-1", "trunc-1"}
    dropped = compact(data, target_ratio=0.25, drop_outside=True).data
    assert b"Forty plates." not in dropped


def test_a_summary_of_the_first_versions_hides_what_stands_before_it():
    messages = json.loads((FOLDER / "roo.json").read_bytes())
    for message in messages:
        for key in ("condenseId", "condenseParent"):
            message.pop(key, None)
    transcript = load(json.dumps(messages).encode()).transcripts[0]
    assert transcript.messages[0].origin == "summary"
    assert transcript.messages[0].records == (4,)


def test_sealed_reasoning_goes_with_the_answer_behind_it():
    answer = next(m for m in read("roo.json").messages if m.text("text") == "I look closer.")
    assert answer.records == (10, 11)
    for out in compactions((FOLDER / "roo.json").read_bytes()):
        assert out.count(b'"reasoning"') == out.count(b'I look closer."')


def test_the_last_count_of_the_provider_is_found():
    known = FORMATS["cline"]
    assert last_count(read("kiln.messages.json"), known).tokens == 20125  # what was cached is part of what was sent
    assert known.usage({"metrics": {"inputTokens": 5, "outputTokens": 2, "cacheReadTokens": 90}}) == 97
    last = messages_of((FOLDER / "api_conversation_history.json").read_bytes())[-1]["metrics"]["tokens"]
    assert last_count(read("api_conversation_history.json"), known).tokens == last["prompt"] + 50


def test_a_call_without_a_result_gets_one():
    value = json.loads((FOLDER / "kiln.messages.json").read_bytes())
    del value["messages"][4]
    out = compact(json.dumps(value).encode(), target_ratio=0.9).data
    assert find_faults(load(out)) == []
    sent(messages_of(out))


def test_messages_of_others_are_not_claimed():
    known = FORMATS["cline"]
    assert known.recognize({"role": "user", "content": [{"type": "text", "text": "hi"}]}) == 0
    assert known.recognize({"role": "user", "content": [{"type": "text", "text": "hi"}], "ts": 1, "uuid": "a"}) == 0
    assert known.recognize({"role": "assistant", "content": [{"type": "tool-call"}], "ts": 1}) == 0
