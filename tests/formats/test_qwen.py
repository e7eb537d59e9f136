"""Qwen Code: the way from the last record to the root is the conversation, a compression replaces what is before it."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.resuming.emit import append_compaction
from tests.builders import compact, find_faults, jsonl, listing_output, load
from tests.formats.checkers.qwen import check_history, history, load_session
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "qwen"
FILES = sorted(FOLDER.iterdir())
STAGE = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "qwen"
REAL_FILES = sorted(STAGE.glob("*.jsonl"))
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "orchard.jsonl": (
        {"user": 4, "assistant": 11, "tool": 9},
        3,
        {"text": 16, "thinking": 1, "tool_call": 10, "tool_result": 9},
        2,
    ),
    "maps.jsonl": ({"user": 5, "assistant": 13, "tool": 10}, 4, {"text": 17, "tool_call": 10, "tool_result": 10}, 0),
}
GOLDEN_REAL = {
    "019f0000-0000-7000-8000-000000000001.jsonl": (
        {"user": 2, "assistant": 2, "tool": 1},
        1,
        {"text": 4, "thinking": 1, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "019f0000-0000-7000-8000-000000000004.jsonl": (
        {"user": 2, "assistant": 1},
        2,
        {"text": 3, "thinking": 1, "tool_call": 1},
        0,
    ),
    "system_telemetry.jsonl": ({"assistant": 1, "tool": 1}, 0, {"text": 2, "tool_call": 1, "tool_result": 1}, 0),
}


def record(uuid, parent, text, kind="user", **more):
    role = "model" if kind == "assistant" else "user"
    head = {"uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-05-04T08:00:00Z", "type": kind}
    return {**head, **({"message": {"role": role, "parts": [{"text": text}]}} if text else {}), **more}


def texts(*records):
    source = load(jsonl(*records))
    assert source.format == "qwen"
    return [message.text() for message in source.transcripts[0].messages]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "qwen"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    found = figures(loaded(STAGE / name))
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_agent_would_load(path):
    data = path.read_bytes()
    assert_untouched(data)
    outputs = list(compactions(data))
    for out in outputs if path in FILES else ():
        way, lost = load_session(out)
        assert lost in (None, "lost-0000")
        check_history(history(way))
    assert outputs or path in REAL_FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_only_the_way_from_the_last_record_to_the_root_is_read():
    found = texts(
        record("a", None, "one"),
        record("b", "a", "two", "assistant"),
        record("c", "b", "three"),
        record("r", "b", "", "system", subtype="rewind", systemPayload={}),
        record("d", "r", "four"),
        record("z", None, "", "system", subtype="session_artifact_snapshot", systemPayload={}),
    )
    assert found == ["one", "two", "four"]


def test_a_lost_parent_is_bridged_to_what_stands_before_it_but_a_rewind_is_no_gap():
    assert texts(record("a", None, "one"), record("b", "lost", "two")) == ["one", "two"]
    rewound = record("r", "lost", "", "system", subtype="rewind", systemPayload={})
    assert texts(record("a", None, "one"), rewound, record("b", "r", "two")) == ["two"]


def test_pieces_of_one_record_are_one_message():
    assert (
        len(texts(record("a", None, "one"), record("b", "a", "two", "assistant"), record("b", "a", "x", "assistant")))
        == 2
    )


def test_a_command_that_was_not_sent_is_no_message():
    def command(**more):
        payload = {"phase": "result", "rawCommand": "/about", **more}
        return record("c", "a", "", "system", subtype="slash_command", systemPayload=payload)

    rest = record("d", "c", "two")
    assert texts(record("a", None, "/about"), command(), rest) == ["two"]
    assert texts(record("a", None, "/about"), command(sentToModel=True), rest) == ["/about", "two"]


def test_a_compression_stands_for_all_before_it_and_stays():
    data = (FOLDER / "maps.jsonl").read_bytes()
    assert [note.kind for note in load(data).notes] == ["outside_context"]
    out = compact(data, target_ratio=0.25).data
    first = load(out).transcripts[0].messages[0]  # the agent bridges the gap behind it, the checker does not
    assert first.text().startswith("<state_snapshot>")
    assert b"Catalogue the maps." in out


def test_of_a_compression_the_first_content_stays_unless_it_was_there_before():
    asked = record("a", None, "Draw a map.")
    said = record("b", "a", "Drawn.", "assistant")

    def messages(first):
        payload = {"compressedHistory": [first, said["message"]]}
        end = record("c", "b", "", "system", subtype="chat_compression", systemPayload=payload)
        rest = record("d", "c", "And another.")
        return [(m.text(), m.pinned) for m in load(jsonl(asked, said, end, rest)).transcripts[0].messages]

    told = {"role": "user", "parts": [{"text": "A map was drawn."}]}
    assert messages(told) == [("A map was drawn.", True), ("Drawn.", False), ("And another.", False)]
    assert messages(asked["message"]) == [("Draw a map.", False), ("Drawn.", False), ("And another.", False)]


def test_a_result_that_is_shortened_is_shortened_where_it_is_displayed_too():
    lines = "\n".join(f"line {n} of the file" for n in range(60))
    response = {"id": "c", "name": "read_file", "response": {"output": lines}}
    call = record("b", "a", "x", "assistant")
    call["message"]["parts"] = [{"functionCall": {"id": "c", "name": "read_file", "args": {}}}]
    back = record("t", "b", "x", "tool_result", toolCallResult={"status": "success", "resultDisplay": lines})
    back["message"]["parts"] = [{"functionResponse": response}]
    transcript = load(jsonl(record("a", None, "one"), call, back)).transcripts[0]
    part, raw = transcript.messages[2].parts[0], transcript.raw(2)
    out = json.loads(jsonedit.replace(raw, FORMATS["qwen"].edits(raw, [(part, "cut … short")])))
    assert out["message"]["parts"][0]["functionResponse"]["response"] == {"output": "cut … short"}
    assert out["toolCallResult"] == {"status": "success", "resultDisplay": "cut … short"}


def test_the_tokens_that_the_provider_counted_are_those_of_the_whole_context():
    usage = FORMATS["qwen"].usage
    counts = {"promptTokenCount": 12, "candidatesTokenCount": 4, "cachedContentTokenCount": 9}
    assert usage(record("b", "a", "x", "assistant", usageMetadata=counts)) == 16
    assert usage(record("b", "a", "x", "assistant", usageMetadata={**counts, "totalTokenCount": 19})) == 19
    assert usage(record("b", "a", "x", "assistant")) is None


def test_the_parts_that_repeat_a_result_as_it_came_are_shortened_with_it():
    call = {"id": "c", "name": "read_file", "args": {}}
    parts = [
        {"functionResponse": {"id": "c", "name": "read_file", "response": {"output": listing_output("kiln", 200)}}}
    ]
    asked = record("a", None, "", "assistant", message={"role": "model", "parts": [{"functionCall": call}]})
    returned = record("t", "a", "", "tool_result", message={"role": "user", "parts": parts})
    returned["toolCallResult"] = {"callId": "c", "status": "success", "responseParts": parts}
    transcript = load(jsonl(asked, returned)).transcripts[0]
    changes = FORMATS["qwen"].edits(transcript.raw(1), [(transcript.messages[1].parts[0], "kiln ...")])
    result = json.loads(jsonedit.replace(transcript.raw(1), changes))
    assert result["message"]["parts"] == result["toolCallResult"]["responseParts"]
    assert "line 7" not in json.dumps(result)


@pytest.mark.parametrize(
    ("provenance", "origin"),
    [("real_user", "request"), ("", "request"), ("goal_runtime", "injected"), ("system", "injected")],
)
def test_who_speaks_is_told_by_the_record(provenance, origin):
    said = {"provenance": provenance} if provenance else {}
    data = jsonl(record("u", None, "Build a lamp."), record("v", "u", "Go on until it is done.", **said))
    assert load(data).transcripts[0].messages[1].origin == origin


def test_a_history_is_appended_of_records_that_have_more_of_the_words_than_was_sent():
    said = {"systemPayload": {"displayText": "Build a lamp.", "hookContext": ""}}
    records = [record("u", None, "Build a lamp.", **said)]
    for n in range(4):
        records.append(record(f"b{n}", records[-1]["uuid"], listing_output(f"b{n}"), "assistant"))
    data = jsonl(*records)
    made = append_compaction(load(data), load(compact(data, target_ratio=0.5).data))
    history = json.loads(made.splitlines()[-1])["systemPayload"]["compressedHistory"]
    assert history[0] == records[0]["message"]
