"""Amazon Bedrock's Converse messages: blocks without a type, roles that alternate, results in one message."""

from __future__ import annotations

import json

import pytest

from compactor_cli.doctor import examine
from compactor_cli.doctor.base import Limits
from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.formats.base import fit
from compactor_cli.pipeline.recorded_context import recorded_context
from compactor_cli.tokens import make_counter
from tests.builders import compact, find_faults, jsonl, load, text_block, tool_use
from tests.formats.checkers.bedrock import check_messages
from tests.formats.roundtrip import CASES, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "bedrock"
FILES = sorted(FOLDER.iterdir())
# counted by hand: conversations, messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "request.json": (
        1,
        {"system": 1, "user": 3, "assistant": 9, "tool": 6},
        3,
        {"text": 12, "thinking": 2, "tool_call": 8, "tool_result": 8, "image": 1, "other": 1},
        1,
    ),
    "station.jsonl": (
        1,
        {"user": 2, "assistant": 10, "tool": 8},
        2,
        {"text": 5, "tool_call": 8, "tool_result": 8},
        1,
    ),
    "invocations.jsonl": (2, {"system": 2, "user": 8, "assistant": 6}, 8, {"text": 16}, 0),
    "broken.jsonl": (
        1,
        {"user": 5, "assistant": 6, "tool": 1},
        5,
        {"text": 8, "tool_call": 5, "tool_result": 3},
        1,
    ),
}


def user(*blocks, **more):
    return {"role": "user", "content": list(blocks), **more}


def assistant(*blocks, **more):
    return {"role": "assistant", "content": list(blocks), **more}


def said(text):
    return {"text": text}


def called(call_id, **arguments):
    return {"toolUse": {"toolUseId": call_id, "name": "look", "input": arguments}}


def returned(call_id, *content, **more):
    return {"toolResult": {"toolUseId": call_id, "content": list(content), **more}}


def conversations(data):
    """The lists of messages of a file."""
    if data.startswith(b"{\n"):
        return [json.loads(data)["messages"]]
    lines = [json.loads(line) for line in data.splitlines()]
    return [line["input"]["inputBodyJson"]["messages"] for line in lines] if "input" in lines[0] else [lines]


def found_in(source):
    found = figures(source)
    return tuple(found[key] for key in ("conversations", "roles", "requests", "parts", "failed"))


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "bedrock"
    assert found_in(source) == GOLDEN[name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_output_can_be_sent(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data, ratios=(0.7, 0.4, 0.15)):
        for messages in conversations(out):
            check_messages([message for message in messages if message["content"]])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_what_stands_around_the_messages_stays():
    before = json.loads((FOLDER / "request.json").read_bytes())
    for out in compactions((FOLDER / "request.json").read_bytes()):
        after = json.loads(out)
        assert list(after) == list(before)
        assert all(after[key] == before[key] for key in before if key != "messages")


def test_a_call_and_its_result_are_parts_with_their_id():
    messages = (
        load(jsonl(user(said("go")), assistant(called("t1", n=1)), user(returned("t1", said("3")))))
        .transcripts[0]
        .messages
    )
    assert [(part.kind, part.call_id, part.text) for m in messages[1:] for part in m.parts] == [
        ("tool_call", "t1", '{"n":1}'),
        ("tool_result", "t1", "3"),
    ]


def test_results_are_texts_json_and_pictures_and_say_whether_they_failed():
    content = (said("two"), {"json": {"n": 2}}, {"image": {"format": "png", "source": {"bytes": "aGk="}}})
    rows = [user(said("go")), assistant(called("t1")), user(returned("t1", *content, status="error"))]
    (part,) = load(jsonl(*rows)).transcripts[0].messages[2].parts
    assert (part.text, part.images, part.failed) == ('two\n{"n":2}', 1, True)


def edited(record, choose, text="cut … short"):
    """The message of the first part that is chosen, written with another text for it."""
    transcript = load(jsonl(user(said("go")), assistant(called("t1", n=1)), record)).transcripts[0]
    part = next(p for p in transcript.messages[2].parts if choose(p))
    raw = transcript.raw(2)
    return json.loads(jsonedit.replace(raw, FORMATS["bedrock"].edits(raw, [(part, text)])))["content"]


def test_what_is_shortened_is_a_block_of_text():
    record = user(returned("t1", {"json": {"n": 2}}, status="success"))
    (block,) = edited(record, lambda part: part.kind == "tool_result")
    assert block == returned("t1", said("cut … short"), status="success")
    picture = user(said("see"), {"image": {"format": "png", "source": {"bytes": "aGk="}}})
    assert edited(picture, lambda part: part.kind == "image", "[image left out]")[1] == said("[image left out]")


def mended(*rows):
    """Messages with all that can be mended mended."""
    source = load(jsonl(*rows))
    data = examine.repair_source(source, examine.examine(source, Limits()), make_counter("chars").counter)
    return [json.loads(line) for line in data.splitlines()]


def test_a_call_that_was_cut_off_is_answered_in_the_message_that_answers_the_others():
    calling = assistant(called("a"), called("b"), called("c"))
    rows = [user(said("go")), calling, user(returned("b", said("yes"))), assistant(said("on"))]
    out = mended(*rows)
    check_messages(out)
    assert [out[0], out[1], out[3]] == [rows[0], rows[1], rows[3]]
    assert [block["toolResult"]["toolUseId"] for block in out[2]["content"]] == ["b", "a", "c"]


def test_calls_that_were_cut_off_are_answered_in_one_message_of_their_own():
    rows = [user(said("go")), assistant(called("a"), called("b")), user(said("never mind")), assistant(said("well"))]
    out = mended(*rows)
    check_messages(out)
    assert [block["toolResult"]["toolUseId"] for block in out[2]["content"]] == ["a", "b"]
    assert [out[0], out[1], *out[4:]] == rows
    assert out[3] == assistant(said("[…]"))


def test_a_shortened_result_beside_one_that_was_added_is_written_with_it():
    rows = [user(said("go")), assistant(called("a"), called("b")), user(returned("b", said("yes " * 999)))]
    rows += [assistant(said("and on")), user(said("well"))]
    out = [json.loads(line) for line in compact(jsonl(*rows), target_ratio=0.4, strategy="tiered").data.splitlines()]
    check_messages(out)
    kept, added = out[2]["content"]
    assert (kept["toolResult"]["toolUseId"], added["toolResult"]["toolUseId"]) == ("b", "a")
    assert len(kept["toolResult"]["content"][0]["text"]) < 2000


def test_what_the_thinking_holds_is_never_changed():
    parts = [p for m in loaded(FOLDER / "request.json").transcripts[0].messages for p in m.parts]
    assert [(p.text, p.place) for p in parts if p.kind == "thinking"] == [
        ("Compare the count sheet with the ledger first.", None),
        ("", None),
    ]


def test_the_turn_that_stands_between_two_of_a_role_is_no_request_of_the_user():
    messages = load(jsonl(user(said("[…]")), assistant(said("Hello.")), user(said("go")))).transcripts[0].messages
    assert [message.origin for message in messages if message.role == "user"] == ["injected", "request"]


def test_roles_that_do_not_alternate_are_faults():
    found = [fault.index for fault in find_faults(loaded(FOLDER / "broken.jsonl")) if fault.kind == "repeated_role"]
    assert found == [0, 4, 7, 9]


def test_the_count_of_the_provider_is_that_of_the_last_answer_or_of_the_log():
    station = recorded_context(loaded(FOLDER / "station.jsonl").transcripts[0], FORMATS["bedrock"])
    assert station is not None
    assert (station.tokens, station.message) == (4400 + 61 + 1024, 19)
    counts = [recorded_context(each, FORMATS["bedrock"]) for each in loaded(FOLDER / "invocations.jsonl").transcripts]
    assert [(each.tokens, each.message) for each in counts if each] == [(240, 5), (420, 9)]


@pytest.mark.parametrize(
    "record",
    [
        user(text_block("hi")),
        assistant(tool_use("t1")),
        {"role": "user", "parts": [{"text": "hi"}]},
        {"type": "user", "id": "m1", "content": [{"text": "hi"}]},
        {"role": "user", "content": [{"text": ["hi"]}]},
    ],
)
def test_records_of_others_are_not_claimed(record):
    assert FORMATS["bedrock"].recognize(record) == 0


@pytest.mark.parametrize("record", [user(said("hi")), assistant(called("t1")), user(returned("t1", said("3")))])
def test_no_other_format_knows_its_records_as_well(record):
    own = FORMATS["bedrock"]
    assert all(fit(other, [record]) < fit(own, [record]) for other in FORMATS.values() if other is not own)


def test_a_message_without_content_or_with_a_string_belongs_to_the_session():
    rows = [user(said("go")), {"role": "assistant", "content": []}, {"role": "user", "content": "plain"}]
    document = json.dumps(
        {"system": [said("Be kind.")], "messages": [*rows, assistant(said("yes"))]}, indent=1
    ).encode()
    for data in (jsonl(*rows, *[assistant(said("yes")), user(said("and"))] * 5), document):
        source = load(data)
        assert source.format == "bedrock"
        texts = [m.text() for m in source.transcripts[0].messages if m.role != "system"]
        assert texts[:4] == ["go", "", "plain", "yes"]
