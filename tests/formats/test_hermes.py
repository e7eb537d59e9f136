"""Hermes: OpenAI messages in a document with the session's own members, or behind a head of their own."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import (
    assistant,
    call,
    calling_message,
    compact,
    find_faults,
    jsonl,
    listing_output,
    load,
    result,
    user,
)
from tests.formats.checkers.hermes import check_sent, sent
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "hermes"
FILES = sorted(FOLDER.iterdir())
AGENTS = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "hermes"
REAL_FILES = sorted(AGENTS.glob("*.json"))
# counted by hand: conversations, messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "beans.json": (
        1,
        {"system": 1, "user": 5, "assistant": 13, "tool": 12},
        3,
        {"text": 14, "other": 1, "thinking": 2, "tool_call": 12, "tool_result": 12, "image": 1},
        2,
    ),
    "peas.jsonl": (
        1,
        {"user": 2, "assistant": 11, "tool": 9},
        2,
        {"text": 7, "thinking": 1, "tool_call": 9, "tool_result": 9},
        0,
    ),
    "gates.jsonl": (
        2,
        {"system": 2, "user": 2, "assistant": 4, "tool": 2},
        2,
        {"text": 6, "tool_call": 2, "tool_result": 2},
        0,
    ),
}
GOLDEN_REAL = {
    "small.json": (1, {"user": 1, "assistant": 1}, 1, {"text": 2}, 0),
    "large.json": (
        1,
        {"system": 1, "user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 4, "thinking": 1, "tool_call": 1, "tool_result": 1},
        0,
    ),
    "schema_drift.json": (
        1,
        {"user": 1, "assistant": 1, "tool": 1},
        1,
        {"text": 2, "tool_call": 1, "tool_result": 1},
        1,
    ),
}
HEAD = {"role": "session_meta", "tools": [], "model": "m", "platform": "cli", "timestamp": "2026-06-02T10:00:00.000001"}


def found_in(source):
    found = figures(source)
    return tuple(found[key] for key in ("conversations", "roles", "requests", "parts", "failed"))


def conversations(data):
    """The lists of messages of a file."""
    if data.startswith(b"{\n"):
        return [json.loads(data)["messages"]]
    lines = [json.loads(line) for line in data.splitlines()]
    return [line["messages"] for line in lines] if "messages" in lines[0] else [lines]


def messages_of(name):
    return loaded(FOLDER / name).transcripts[0].messages


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "hermes"
    assert find_faults(source) == []
    assert found_in(source) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(AGENTS / name)
    assert source.format == "hermes"
    assert find_faults(source) == []
    assert found_in(source) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_can_be_sent_and_says_what_was_kept(path):
    data = path.read_bytes()
    assert_untouched(data)
    for out in compactions(data):
        again = load(out)
        for messages, transcript in zip(conversations(out), again.transcripts, strict=True):
            check_sent(sent(messages))
            wire = json.dumps([message["content"] for message in sent(messages)])
            texts = [p.text for m in transcript.messages if m.role == "user" for p in m.parts]
            assert all(json.dumps(text)[1:-1] in wire for text in texts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_what_stands_around_the_messages_stays():
    before = json.loads((FOLDER / "beans.json").read_bytes())
    for out in compactions((FOLDER / "beans.json").read_bytes()):
        after = json.loads(out)
        assert list(after) == list(before)
        assert all(after[key] == before[key] for key in before if key != "messages")
        assert after["messages"][-1] == {"role": "session_meta"}


def test_half_a_pair_in_the_id_of_a_session_is_no_hindrance():
    document = json.loads((FOLDER / "beans.json").read_bytes()) | {"session_id": "half \ud83d of a pair"}
    out = json.loads(compact(json.dumps(document, indent=1).encode(), target_ratio=0.3, strategy="tiered").data)
    assert out["session_id"] == document["session_id"]
    assert len(out["messages"]) < len(document["messages"])


def test_the_head_of_a_log_tells_the_format_and_stays_first():
    data = (FOLDER / "peas.jsonl").read_bytes()
    for out in compactions(data):
        assert out.splitlines()[0] == data.splitlines()[0]
    chat = [user("hi"), calling_message(call("a")), result("a", "out"), assistant("Done.")]
    assert load(jsonl(HEAD, *chat)).format == "hermes"
    assert load(jsonl(HEAD, *chat, {"role": "narrator", "content": "?"})).format == "hermes"
    assert load(jsonl(*chat)).format == "openai-chat"


def test_thoughts_are_read_once_and_never_changed():
    thoughts = [(p.text, p.place) for m in messages_of("beans.json") for p in m.parts if p.kind == "thinking"]
    assert thoughts == [("Look first.", None), ("Count them.", None)]


def test_a_text_that_the_provider_holds_as_an_item_is_never_changed():
    part = next(p for m in messages_of("beans.json") for p in m.parts if p.text == "The wall gave 612 beans.")
    assert part.place is None


def edited(name, choose, text="cut … short"):
    """The message of the first part that is chosen, written with another text for it."""
    transcript = loaded(FOLDER / name).transcripts[0]
    part = next(p for m in transcript.messages for p in m.parts if choose(p))
    raw = transcript.raw(part.place.record)
    return json.loads(jsonedit.replace(raw, FORMATS["hermes"].edits(raw, [(part, text)])))


def test_what_the_agent_added_to_a_message_is_told_from_the_words_of_the_user_and_stays():
    message = next(m for m in messages_of("beans.json") if m.text("text") == "Now the beds along the wall.")
    assert [part.kind for part in message.parts] == ["text", "other"]
    assert message.parts[1].text.startswith("<memory-context>")
    saved = edited("beans.json", lambda part: part.text == "Now the beds along the wall.", "The wall.")
    assert saved["content"] == "The wall."
    assert saved["api_content"].startswith("The wall.\n\n<memory-context>")


def test_where_other_words_were_sent_they_are_the_message():
    sent_as = "Resumed. " + listing_output("cat", 100)
    rows = [HEAD, {"role": "user", "content": "go", "api_content": sent_as}, assistant("ok")]
    message = load(jsonl(*rows)).transcripts[0].messages[0]
    assert [(part.text, part.place.path) for part in message.parts] == [(sent_as, ("api_content",))]
    raw = json.dumps(rows[1]).encode()
    saved = json.loads(jsonedit.replace(raw, FORMATS["hermes"].edits(raw, [(message.parts[0], "cut")])))
    assert (saved["content"], saved["api_content"]) == ("cut", "cut")


def test_a_summary_of_the_agent_stays_and_is_no_request():
    message = messages_of("beans.json")[2]
    assert (message.role, message.origin, message.pinned) == ("assistant", "summary", True)
    marked = {"role": "user", "content": "Earlier: the beds.", "_compressed_summary": True}
    (message, *_) = load(jsonl(HEAD, marked, assistant("ok"))).transcripts[0].messages
    assert (message.origin, message.pinned) == ("summary", True)
    shared = loaded(FOLDER / "gates.jsonl").transcripts[1].messages[1]
    assert (shared.origin, shared.pinned) == ("request", True)  # the words of the user stand behind it
    for out in compactions((FOLDER / "beans.json").read_bytes()):
        assert any(message.get("_compressed_summary") for message in json.loads(out)["messages"])


def test_nothing_is_said_to_be_outside_of_a_log_with_a_summary():
    rows = [HEAD, user("Begin."), {"role": "assistant", "content": "[CONTEXT SUMMARY]: much."}, user("Go on.")]
    assert load(jsonl(*rows)).notes == ()


def test_what_the_agent_says_in_the_place_of_the_user_is_no_request():
    origins = {m.text().split("]")[0]: m.origin for m in messages_of("beans.json") if m.role == "user"}
    assert origins["[Your active task list was preserved across context compression"] == "injected"
    assert origins["[SYSTEM: Background process proc_1 finished with exit code 0."] == "injected"


@pytest.mark.parametrize(
    ("content", "failed"),
    [
        ('{"output": "x", "exit_code": 2, "error": null}', True),
        ('{"output": "x", "exit_code": 0, "error": null}', False),
        ('{"error": "no such file"}', True),
        ('{"success": false}', True),
        ('{"matches": 3}', None),
        ('{"output": "cut', None),
        ("plain", None),
    ],
)
def test_a_result_says_itself_whether_it_failed(content, failed):
    rows = [HEAD, user("go"), calling_message(call("a")), result("a", content), assistant("ok")]
    assert load(jsonl(*rows)).transcripts[0].messages[2].results[0].failed is failed


def test_results_are_named_after_their_tool():
    assert {part.name for m in messages_of("beans.json") for part in m.results} == {"terminal", "read_file"}


def test_what_is_added_is_a_message_of_the_log():
    data = (FOLDER / "peas.jsonl").read_bytes()
    out = compact(data, target_ratio=0.3, strategy="tiered").data
    new = [r for r in map(json.loads, out.splitlines()) if "## Session Summary" in str(r.get("content"))]
    assert new
    assert all(list(record) == ["role", "content", "timestamp"] for record in new)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "session_meta", "payload": {"id": "s"}},
        {"role": "session_meta", "type": "message"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1"}]},
        {"role": "assistant", "content": "ok", "toolCalls": []},
        {"role": "model", "parts": [{"text": "hi"}]},
    ],
)
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["hermes"].recognize(value) == 0
