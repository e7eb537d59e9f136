"""Inspect logs: a conversation per sample, with texts that stand in `attachments`."""

from __future__ import annotations

import json
import zipfile

import pytest

from tests.builders import compact, find_faults, load
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "inspect"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = sorted((REAL / "inspect").glob("*.json")) if (REAL / "inspect").is_dir() else []
# counted by hand: conversations, messages by role, requests, parts by kind, failed results
BOTH = (
    2,
    {"system": 1, "user": 4, "assistant": 5, "tool": 2},
    4,
    {"text": 10, "thinking": 1, "tool_call": 2, "tool_result": 2, "image": 1},
    1,
)
GOLDEN = {"log.json": BOTH, "samples.jsonl": BOTH}
GOLDEN_REAL = {
    "2025-05-12T20-28-13-04-00_popularity.json": (3, {"system": 3, "user": 3, "assistant": 3}, 3, {"text": 9}, 0),
    "log_images_tc.json": (1, {"system": 1, "user": 1, "assistant": 1}, 1, {"text": 3, "image": 1}, 0),
    "log_tool_call_error.json": (1, {"tool": 11}, 0, {"tool_result": 11}, 11),
}


def found_in(source):
    found = figures(source)
    return tuple(found[key] for key in ("conversations", "roles", "requests", "parts", "failed"))


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "inspect"
    assert find_faults(source) == []
    assert found_in(source) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(REAL / "inspect" / name)
    assert source.format == "inspect"
    assert found_in(source) == GOLDEN_REAL[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
def test_sample_documents_of_a_real_eval_file_are_read_a_line_each():
    with zipfile.ZipFile(REAL / "inspect" / "log_message_deduplication.eval") as log:
        names = [name for name in log.namelist() if name.startswith("samples/")]
        data = b"".join(json.dumps(json.loads(log.read(name))).encode() + b"\n" for name in names)
    assert found_in(load(data)) == (
        1,
        {"user": 1, "assistant": 6, "tool": 5},
        1,
        {"text": 7, "tool_call": 5, "tool_result": 5},
        0,
    )


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_everything_but_the_messages_stays_as_it_is(path):
    data = path.read_bytes()
    assert_untouched(data)
    before = around(data)
    for out in compactions(data):
        assert around(out) == before


def around(data):
    lines = data.splitlines() if b'\n{"id"' in data else [data]
    documents = [json.loads(line) for line in lines]
    for document in documents:
        for sample in document.get("samples", [document]):
            assert all(set(message) >= {"role", "content"} for message in sample.pop("messages"))
    return documents


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_attachments_are_read_where_they_are_named_and_shortened_in_their_place():
    data = (FOLDER / "samples.jsonl").read_bytes().splitlines()[0]
    messages = load(data).transcripts[0].messages
    assert messages[1].text().startswith("Where does the log end? Look at café.log.")
    assert messages[3].results[0].text.startswith("row 0: amber")
    assert json.loads(messages[2].calls[1].text)["text"].startswith("write 0: amber")
    out = json.loads(compact(data, target_tokens=2100).data)
    result = next(m for m in out["messages"] if m.get("tool_call_id") == "c1")
    assert "row 89: basalt" in result["content"]
    assert len(result["content"]) < len(messages[3].results[0].text)
    assert not result["content"].startswith("attachment://")
    assert out["attachments"] == json.loads(data)["attachments"]


def test_of_a_failed_tool_the_model_reads_the_error():
    result = loaded(FOLDER / "log.json").transcripts[0].messages[4].results[0]
    assert (result.text, result.failed) == ("may not write a.sh", True)


def test_what_is_shown_of_a_call_is_shortened_with_its_arguments():
    data = (FOLDER / "samples.jsonl").read_bytes().splitlines()[0]
    call = json.loads(compact(data, target_tokens=2100).data)["messages"][2]["tool_calls"][1]
    assert len(call["arguments"]["text"]) < 800
    assert len(call["view"]["content"]) < 900


def test_chat_messages_without_a_sample_around_them_are_of_no_log():
    document = json.loads((FOLDER / "samples.jsonl").read_bytes().splitlines()[1])
    assert load(json.dumps({"messages": document["messages"]}).encode()).format == "conversations"
