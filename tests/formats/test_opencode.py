"""opencode: a tool part is a call and its result; a finished compaction replaces what stands before its tail."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS
from compactor_cli.formats.opencode import CLEARED_RESULT, INTERRUPTED_RESULT
from compactor_cli.pipeline.recorded_context import recorded_context
from tests.builders import compact, find_faults, last_count, listing_output, load
from tests.formats.checkers.opencode import check_messages, parents_known
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

pytestmark = pytest.mark.one_test_in(2)

FOLDER = CASES / "opencode"
FILES = sorted(FOLDER.iterdir())
REAL_FILES = sorted((REAL / "opencode").glob("*.json")) if (REAL / "opencode").is_dir() else []
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "harvest.export.json": (
        {"user": 5, "assistant": 15, "tool": 10},
        4,
        {"text": 17, "image": 1, "thinking": 1, "tool_call": 13, "tool_result": 12},
        2,
    ),
    "cellar.json": ({"user": 3, "assistant": 11, "tool": 9}, 2, {"text": 15, "tool_call": 9, "tool_result": 9}, 0),
    "lines.jsonl": ({"user": 2, "assistant": 9, "tool": 8}, 1, {"text": 11, "tool_call": 8, "tool_result": 8}, 0),
}
GOLDEN_REAL = {
    "messages.json": ({"assistant": 5, "tool": 5}, 0, {"text": 4, "tool_call": 6, "tool_result": 6}, 2),
    "explore.export.json": (
        {"user": 1, "assistant": 10, "tool": 9},
        1,
        {"text": 6, "tool_call": 18, "tool_result": 18},
        0,
    ),
    "planning.export.json": (
        {"user": 2, "assistant": 4, "tool": 3},
        1,
        {"text": 5, "tool_call": 3, "tool_result": 3},
        0,
    ),
    "permission-ask-new-approve.export.json": (
        {"user": 2, "assistant": 2, "tool": 1},
        1,
        {"text": 5, "tool_call": 1, "tool_result": 1},
        0,
    ),
}


def messages_of(data):
    """The messages of an export, of a list or of lines."""
    if data.count(b"\n") > 1 and data.startswith(b'{"info"'):
        return [json.loads(line) for line in data.splitlines()]
    value = json.loads(data)
    return value if isinstance(value, list) else value["messages"]


def seen(source):
    """Results by the id of their call."""
    return {p.call_id: p for t in source.transcripts for m in t.messages for p in m.results}


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "opencode"
    assert find_faults(source) == []
    found = figures(source)
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    found = figures(loaded(REAL / "opencode" / name))
    assert (found["roles"], found["requests"], found["parts"], found["failed"]) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_every_output_is_one_that_the_agent_would_import(path):
    data = path.read_bytes()
    assert_untouched(data)
    old = path.name == "planning.export.json"  # written by a version whose messages had less in them
    whole = parents_known(messages_of(data))
    for out in compactions(data):
        if not old:
            check_messages(messages_of(out))
            assert not whole or parents_known(messages_of(out))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_the_model_gets_what_the_agent_would_send():
    source = loaded(FOLDER / "harvest.export.json")
    results = seen(source)
    texts = "\n".join(p.text for m in source.transcripts[0].messages for p in m.parts)
    assert results["call_vine001"].text == listing_output("plot", 80)
    assert (results["call_vine003"].failed, results["call_vine004"].failed) == (True, True)  # exit 1; an error
    assert results["call_vine004"].text == "oldString not found in content"
    assert (results["call_vine005"].text, results["call_vine005"].place) == (CLEARED_RESULT, None)
    assert "never sent" not in texts  # an answer that failed
    assert "I was stop" in texts  # one that was stopped
    assert "not for the model" not in texts
    assert "call_vine013" not in results  # running when the session ends: work in flight


def test_a_call_that_never_ended_was_interrupted_unless_it_is_the_newest():
    value = json.loads((FOLDER / "harvest.export.json").read_bytes())
    value["messages"].append(value["messages"].pop(0))
    interrupted = seen(load(json.dumps(value).encode()))["call_vine013"]
    assert (interrupted.text, interrupted.failed, interrupted.place) == (INTERRUPTED_RESULT, True, None)


def test_several_answers_in_one_message_are_kept_or_left_out_together():
    source = loaded(FOLDER / "harvest.export.json")
    messages = source.transcripts[0].messages
    several = [m for m in messages if m.records == messages[-4].records]
    assert [m.role for m in several] == ["assistant", "assistant", "tool", "assistant"]
    for out in compactions((FOLDER / "harvest.export.json").read_bytes()):
        left = [m for m in load(out).transcripts[0].messages if m.id.startswith(several[0].id)]
        assert len(left) in (0, 4)


def test_what_stands_before_the_tail_of_a_compaction_passes_through():
    data = (FOLDER / "cellar.json").read_bytes()
    before = json.loads(data)
    source = load(data)
    messages = source.transcripts[0].messages
    assert messages[0].text() == "Round them to half degrees."
    summary = next(m for m in messages if m.origin == "summary")
    assert summary.pinned
    assert summary.text().startswith("What did we do so far?\n## Goal")
    assert summary.records == (6, 7)
    for out in compactions(data):
        after = json.loads(out)
        assert after[:4] == before[:4]
        assert [m for m in before[6:8] if m in after] == before[6:8]


def test_a_compaction_that_failed_replaces_nothing():
    value = json.loads((FOLDER / "cellar.json").read_bytes())
    value[7]["info"]["error"] = {"name": "APIError", "data": {"message": "overloaded", "isRetryable": True}}
    messages = load(json.dumps(value).encode()).transcripts[0].messages
    assert messages[0].text() == "Move the cellar's thermometer readings into one table."
    assert not any(m.pinned for m in messages)


def test_copies_for_display_are_shortened_with_the_result():
    value = json.loads((FOLDER / "harvest.export.json").read_bytes())
    del value["messages"][2:]
    state = value["messages"][1]["parts"][3]["state"]
    state.update(
        output=listing_output("plot", 800), metadata={"preview": listing_output("plot", 200), "truncated": False}
    )
    out = compact(json.dumps(value).encode(), target_ratio=0.4, strategy="adaptive").data
    tools = [p["state"] for m in json.loads(out)["messages"] for p in m["parts"] if p["type"] == "tool"]
    read = next(state for state in tools if state["input"].get("filePath") == "/srv/vineyard/plots.csv")
    assert len(read["output"]) < len(listing_output("plot", 200))
    assert read["metadata"] == {"preview": read["output"], "truncated": False}


def test_a_picture_that_is_left_out_becomes_a_text_part_with_its_ids():
    value = json.loads((FOLDER / "harvest.export.json").read_bytes())
    picture = next(p for p in value["messages"][0]["parts"] if p.get("mime") == "image/png")
    for out in compactions(json.dumps(value).encode()):
        first = next((m for m in json.loads(out)["messages"] if m["info"] == value["messages"][0]["info"]), None)
        part = next((p for p in (first or {"parts": []})["parts"] if p["id"] == picture["id"]), picture)
        if part != picture:
            assert part == {
                **{key: picture[key] for key in ("id", "sessionID", "messageID")},
                "type": "text",
                "text": "[image left out]",
            }
            return
    raise AssertionError("no strategy left the picture out")


def test_records_of_others_are_not_claimed():
    known = FORMATS["opencode"]
    assert known.recognize({"info": {"id": "a", "role": "user"}, "messages": []}) == 0
    assert known.recognize({"role": "user", "parts": [{"text": "hi"}]}) == 0


def test_the_last_count_of_the_provider_is_found():
    known = FORMATS["opencode"]
    value = json.loads((FOLDER / "harvest.export.json").read_bytes())
    answer = next(m for m in reversed(value["messages"]) if any(p["type"] == "step-finish" for p in m["parts"]))
    finish = next(p for p in reversed(answer["parts"]) if p["type"] == "step-finish")
    finish["tokens"] = {"input": 100, "output": 20, "reasoning": 0, "cache": {"read": 5000, "write": 300}}
    (transcript,) = load(json.dumps(value).encode()).transcripts
    assert last_count(transcript, known).tokens == 5420
    finish["tokens"]["total"] = 5500  # where it is said
    assert known.usage(answer) == 5500


def test_results_that_stand_with_the_counted_answer_came_after_it():
    value = json.loads((FOLDER / "harvest.export.json").read_bytes())
    last = max(n for n, m in enumerate(value["messages"]) if any(p["type"] == "tool" for p in m["parts"][-3:]))
    del value["messages"][last + 1 :]
    tools = [p for p in value["messages"][last]["parts"] if p["type"] == "tool"]
    tools[-1]["state"] = {"status": "completed", "input": {}, "output": listing_output("late", 90), "metadata": {}}
    (transcript,) = load(json.dumps(value).encode()).transcripts
    found = last_count(transcript, FORMATS["opencode"])
    assert transcript.messages[found.message].role == "assistant"
    assert found.tokens_after == transcript.messages[-1].tokens > 500


def test_counts_of_before_a_compaction_do_not_count():
    value = json.loads((FOLDER / "cellar.json").read_bytes())
    answer = next(n for n, m in enumerate(value) if m["info"].get("summary"))
    (transcript,) = load(json.dumps(value[: answer + 1]).encode()).transcripts
    assert recorded_context(transcript, FORMATS["opencode"]) is None
    assert last_count(load(json.dumps(value).encode()).transcripts[0], FORMATS["opencode"]).tokens == 980


def said(role, *parts, **info):
    about = {"id": f"msg_{role}", "sessionID": "ses_1", "role": role, "time": {"created": 1}, **info}
    return {"info": about, "parts": list(parts)}


def test_what_a_message_did_to_the_files_is_no_summary_of_the_session():
    titled = {"title": "Prune", "body": "Prunes the vines."}
    asked = said("user", {"type": "compaction", "auto": True}, {"type": "text", "text": "Prune row 3."}, summary=titled)
    answer = said("assistant", {"type": "text", "text": "Done."}, summary=titled, parentID="msg_user", finish="stop")
    answer["info"]["tokens"] = {"input": 90, "output": 10}
    source = load(json.dumps([asked, answer]).encode())
    assert [m.origin for m in source.transcripts[0].messages] == ["request", "other"]
    assert last_count(source.transcripts[0], FORMATS["opencode"]).tokens == 100


def test_an_output_is_read_whatever_the_first_versions_called_its_state():
    call: dict[str, object] = {"type": "tool", "callID": "c1", "tool": "bash"}
    call["state"] = {"status": "success", "input": {"command": "ls"}, "output": "vines.csv"}
    source = load(json.dumps([said("user", {"type": "text", "text": "List."}), said("assistant", call)]).encode())
    result = source.transcripts[0].messages[-1].parts[0]
    assert (result.kind, result.text, result.failed) == ("tool_result", "vines.csv", False)
