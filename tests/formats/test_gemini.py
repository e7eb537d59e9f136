"""Contents of the Gemini API: requests, batches, and what SDKs have of a chat."""

from __future__ import annotations

import json

import pytest

from compactor_cli.doctor import examine
from compactor_cli.doctor.base import Limits
from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.pipeline.recorded_context import recorded_context
from compactor_cli.tokens import make_counter
from tests.builders import find_faults, jsonl, load
from tests.formats.checkers.gemini import check_contents
from tests.formats.roundtrip import CASES, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "gemini"
FILES = sorted(FOLDER.iterdir())
# counted by hand: conversations, messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "request.json": (
        1,
        {"system": 1, "user": 4, "assistant": 8, "tool": 4},
        4,
        {"text": 11, "tool_call": 5, "tool_result": 5, "image": 2, "thinking": 1, "other": 2},
        1,
    ),
    "chat.jsonl": (
        1,
        {"user": 2, "assistant": 9, "tool": 7},
        2,
        {"text": 7, "tool_call": 7, "tool_result": 7},
        0,
    ),
    "batch.jsonl": (3, {"system": 3, "user": 9, "assistant": 6}, 9, {"text": 18}, 0),
    "broken.json": (
        1,
        {"assistant": 6, "user": 4, "tool": 1},
        4,
        {"text": 8, "tool_call": 4, "tool_result": 2},
        0,
    ),
}


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def said(text):
    return {"text": text}


def called(name, **args):
    return {"functionCall": {"name": name, "args": args}}


def returned(name, **response):
    return {"functionResponse": {"name": name, "response": response}}


def conversations(data):
    """The lists of contents of a file."""
    if data.startswith(b"{\n"):
        return [json.loads(data)["contents"]]
    lines = [json.loads(line) for line in data.splitlines()]
    return [line["request"]["contents"] for line in lines] if "request" in lines[0] else [lines]


def found_in(source):
    found = figures(source)
    return tuple(found[key] for key in ("conversations", "roles", "requests", "parts", "failed"))


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "gemini"
    assert found_in(source) == GOLDEN[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_output_can_be_sent(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data, ratios=(0.7, 0.4, 0.15)):
        for contents in conversations(out):
            check_contents(contents)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_what_stands_around_the_contents_stays():
    before = json.loads((FOLDER / "request.json").read_bytes())
    for out in compactions((FOLDER / "request.json").read_bytes()):
        after = json.loads(out)
        assert list(after) == list(before)
        assert all(after[key] == before[key] for key in before if key != "contents")


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize("prompt", [{"parts": [said("Be kind.")]}, "Be kind."])
def test_the_instruction_beside_the_contents_is_the_system_prompt(key, prompt):
    data = json.dumps({key: prompt, "contents": [user(said("hi")), model(said("ho"))]}, indent=1).encode()
    transcript = load(data).transcripts[0]
    assert (transcript.messages[0].role, transcript.messages[0].text()) == ("system", "Be kind.")
    (part,) = transcript.messages[0].parts
    raw = transcript.raw(part.place.record)
    changed = json.loads(jsonedit.replace(raw, FORMATS["gemini"].edits(raw, [(part, "short")])))
    assert changed == (prompt and ({"parts": [said("short")]} if isinstance(prompt, dict) else "short"))


def test_calls_without_ids_are_answered_in_their_order():
    rows = [user(said("go")), model(called("look", n=1), called("look", n=2))]
    rows += [user(returned("look", found="a"), returned("look", found="b"))]
    messages = load(jsonl(*rows)).transcripts[0].messages
    assert [part.call_id for part in messages[1].parts] == [part.call_id for part in messages[2].parts]
    assert [part.text for part in messages[2].parts] == ["a", "b"]


def test_names_with_underscores_and_members_that_are_null_are_read_alike():
    messages = loaded(FOLDER / "chat.jsonl").transcripts[0].messages
    (call,) = messages[1].parts
    assert (call.kind, call.name, call.call_id) == ("tool_call", "list_backup", "adk-0")
    assert call.place.path == ("parts", 0, "function_call", "args")
    assert messages[2].parts[0].place.path == ("parts", 0, "function_response", "response", "result")


def test_a_part_with_a_signature_is_never_changed():
    parts = [p for m in loaded(FOLDER / "request.json").transcripts[0].messages for p in m.parts]
    sealed = [p.text for p in parts if p.place is None and p.kind in ("text", "tool_call")]
    assert sealed == ["I add them up.", '{"day":"2026-03-19","lines":"all"}']


def test_a_role_may_be_left_out():
    data = jsonl({"contents": [{"parts": [said("hi")]}]}, {"contents": [{"parts": [said("ho")]}]})
    source = load(data)
    assert source.format == "gemini"
    assert [(m.role, m.text()) for t in source.transcripts for m in t.messages] == [("user", "hi"), ("user", "ho")]


def test_a_list_of_contents_alone_is_a_checkpoint_of_gemini_cli():
    contents = [user(said("hi")), model(said("ho"))]
    assert load(json.dumps(contents, indent=1).encode()).format == "gemini-cli"
    assert load(jsonl(*contents)).format == "gemini"


def test_what_is_missing_is_answered_where_it_has_to_stand():
    rows = [user(said("go")), model(called("gate", n=1), called("gate", n=2)), user(returned("gate", state="open"))]
    rows += [model(called("gate", n=3)), user(said("well?"), returned("pump", state="wet")), model(said("on"))]
    source = load(jsonl(*rows))
    data = examine.repair_source(source, examine.examine(source, Limits()), make_counter("chars").counter)
    out = [json.loads(line) for line in data.splitlines()]
    check_contents(out)
    assert out[2]["parts"][0] == returned("gate", state="open")
    assert [part["functionResponse"]["name"] for part in out[2]["parts"]] == ["gate", "gate"]
    assert out[6]["parts"] == [said("well?"), said("[Tool result without its call] wet")]


def test_roles_that_do_not_alternate_are_faults():
    found = [fault.index for fault in find_faults(loaded(FOLDER / "broken.json")) if fault.kind == "repeated_role"]
    assert found == [0, 4, 6, 9]


def test_the_count_of_the_provider_is_that_of_the_response_of_a_batch():
    counts = [recorded_context(each, FORMATS["gemini"]) for each in loaded(FOLDER / "batch.jsonl").transcripts]
    assert [(each.tokens, each.message) if each else None for each in counts] == [(200, 5), (201, 5), None]


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": [said("hi")]},
        {"role": "user", "parts": [{"type": "text", "text": "hi"}]},
        {"role": "user", "parts": []},
        {"role": "assistant", "parts": [said("hi")]},
        {"type": "user", "id": "m1", "parts": [said("hi")]},
        {"info": {"role": "user"}, "parts": [{"id": "prt_1", "type": "text", "text": "hi"}]},
    ],
)
def test_records_of_others_are_not_claimed(record):
    assert FORMATS["gemini"].recognize(record) == 0
