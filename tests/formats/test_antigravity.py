"""Antigravity: steps without ids; what stands behind an answer is what its calls returned, in their order."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import compact, find_faults, jsonl, load
from tests.formats.checkers.antigravity import exchanges
from tests.formats.roundtrip import CASES, REAL, assert_restored, assert_untouched, compactions, figures, loaded

FOLDER = CASES / "antigravity"
FILES = sorted(FOLDER.iterdir())
AGENTS = REAL / "agent-sessions-fixtures" / "stage0" / "agents" / "antigravity"
REAL_FILES = sorted(AGENTS.glob("*.jsonl"))
# counted by hand: messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "pond.jsonl": (
        {"user": 4, "assistant": 14, "tool": 15},
        2,
        {"text": 10, "other": 2, "thinking": 2, "tool_call": 15, "tool_result": 15},
        2,
    ),
    "heron.jsonl": (
        {"user": 2, "assistant": 10, "tool": 8},
        1,
        {"text": 11, "other": 2, "tool_call": 8, "tool_result": 8},
        1,
    ),
    "reeds.jsonl": (
        {"user": 1, "assistant": 2, "tool": 1},
        1,
        {"text": 2, "tool_call": 3, "tool_result": 1},
        0,
    ),
}
GOLDEN_REAL = {
    "cli_small.jsonl": (
        {"user": 12, "assistant": 3, "tool": 2},
        2,
        {"text": 13, "other": 1, "thinking": 3, "tool_call": 2, "tool_result": 2},
        0,
    ),
    "cli_schema_drift.jsonl": ({"user": 2, "assistant": 1}, 1, {"text": 2, "thinking": 1}, 0),
}


def steps_of(data):
    return [json.loads(line) for line in data.splitlines()]


def messages_of(name):
    return loaded(FOLDER / name).transcripts[0].messages


def figures_of(source):
    found = figures(source)
    return found["roles"], found["requests"], found["parts"], found["failed"]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(FOLDER / name)
    assert source.format == "antigravity"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN[name]


@pytest.mark.skipif(not REAL_FILES, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", sorted(GOLDEN_REAL))
def test_real_messages_and_parts_are_those_counted_by_hand(name):
    source = loaded(AGENTS / name)
    assert source.format == "antigravity"
    assert find_faults(source) == []
    assert figures_of(source) == GOLDEN_REAL[name]


@pytest.mark.parametrize("path", [*FILES, *REAL_FILES], ids=lambda path: path.name)
def test_in_every_output_answers_stand_with_what_their_calls_returned(path):
    data = path.read_bytes()
    assert_untouched(data)
    before = exchanges(steps_of(data))
    for out in compactions(data):
        assert all(exchange in before for exchange in exchanges(steps_of(out)))
        assert [m.call_id for m in results(out)] == [m.call_id for m in calls(out)][: len(results(out))]


def results(data):
    return sorted(
        (part for m in load(data).transcripts[0].messages for part in m.results),
        key=lambda part: int(part.call_id.rpartition(":")[2]),
    )


def calls(data):
    return [part for m in load(data).transcripts[0].messages for part in m.calls]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_original_is_restored_to_the_byte(path, tmp_path):
    assert_restored(path, tmp_path)


def test_results_answer_the_calls_of_the_answer_before_them_in_order():
    messages = messages_of("pond.jsonl")
    found = [(m.index, part.call_id, part.name) for m in messages for part in m.results][:2]
    assert found == [
        (2, messages[1].calls[0].call_id, "list_dir"),
        (3, messages[1].calls[1].call_id, "view_file"),
    ]


def test_an_error_that_the_agent_reports_is_what_the_call_returned():
    part = next(p for m in messages_of("pond.jsonl") for p in m.results if p.name == "replace_file_content")
    assert (part.text, part.failed) == ("target content not found in file", True)
    alone = load(jsonl(step("USER_INPUT", "Go."), step("ERROR_MESSAGE", "no model", "SYSTEM"))).transcripts[0]
    assert [(m.role, m.origin) for m in alone.messages] == [("user", "request"), ("user", "injected")]


def step(type, content=None, source="MODEL", **more):
    said = {} if content is None else {"content": content}
    time = "2026-07-02T09:00:00Z"
    return {"step_index": 0, "source": source, "type": type, "status": "DONE", "created_at": time} | said | more


def test_a_command_that_failed_is_a_result_that_failed():
    failed = {p.call_id: p.failed for m in messages_of("pond.jsonl") for p in m.results if p.name == "run_command"}
    assert list(failed.values()) == [True, False, None, None]


def test_a_step_whose_call_is_nowhere_is_no_request_and_goes_with_the_answer_before_it():
    messages = messages_of("pond.jsonl")
    stray = next(m for m in messages if m.text().startswith("The search for"))
    assert (stray.role, stray.origin) == ("user", "injected")
    assert stray.turn == messages[8].turn
    for out in compactions((FOLDER / "pond.jsonl").read_bytes()):
        kept = out.count(b'"SEARCH_WEB"'), out.count(b"Created file file:///srv/pond/count.py")
        assert kept in ((0, 0), (1, 1))


def test_of_a_call_without_a_step_nothing_came_back():
    messages = messages_of("pond.jsonl")
    unanswered = next(m for m in messages if m.results and not m.results[0].text)
    assert unanswered.results[0].failed is None
    assert unanswered.results[0].place is None
    assert unanswered.records == next(m for m in messages if len(m.calls) == 2 and m.index > 9).records


def test_calls_at_the_very_end_are_work_in_flight():
    messages = messages_of("reeds.jsonl")
    assert [len(m.calls) for m in messages if m.calls] == [1, 2]
    assert messages[-1].role == "assistant"


def test_what_the_agent_keeps_for_itself_passes_through():
    texts = "\n".join(m.text() for m in messages_of("pond.jsonl"))
    assert "CHECKPOINT" not in texts
    assert "EPHEMERAL" not in texts
    data = (FOLDER / "pond.jsonl").read_bytes()
    internal = [line for line in data.splitlines() if b"CHECKPOINT" in line or b"EPHEMERAL" in line]
    for out in compactions(data):
        assert [line for line in out.splitlines() if line in internal] == internal


def edited(name, choose, text):
    """The step of the first part that is chosen, written with another text for it."""
    transcript = loaded(FOLDER / name).transcripts[0]
    part = next(p for m in transcript.messages for p in m.parts if choose(p))
    raw = transcript.raw(part.place.record)
    return json.loads(jsonedit.replace(raw, FORMATS["antigravity"].edits(raw, [(part, text)])))


def test_words_of_the_user_are_shortened_between_the_tags_of_the_agent():
    content = edited("pond.jsonl", lambda part: part.text.startswith("Count the frogs"), "Count.")["content"]
    assert content.startswith("<USER_REQUEST>\nCount.\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>")


def test_arguments_are_read_as_the_model_wrote_them_and_saved_as_the_agent_does():
    part = next(p for m in messages_of("pond.jsonl") for p in m.calls if p.name == "view_file")
    assert json.loads(part.text) == {"AbsolutePath": "/srv/pond/calls.csv", "StartLine": 1, "EndLine": 800}
    new = json.dumps({"TargetFile": "/srv/pond/count.py", "CodeContent": "import csv …", "Overwrite": True})
    saved = edited("pond.jsonl", lambda part: part.name == "write_to_file" and part.kind == "tool_call", new)
    assert saved["tool_calls"][0]["args"] == {
        "TargetFile": '"/srv/pond/count.py"',
        "CodeContent": '"import csv …"',
        "Overwrite": "true",
    }
    plain = edited("heron.jsonl", lambda part: part.kind == "tool_call", '{"CommandLine": "ls", "Cwd": "/srv"}')
    assert plain["tool_calls"][0]["args"] == {"CommandLine": "ls", "Cwd": "/srv"}


def test_who_speaks_under_the_user_is_told_by_the_source():
    origins = [m.origin for m in messages_of("heron.jsonl") if m.role == "user"]
    assert origins == ["request", "injected"]


def test_what_is_added_is_a_step_that_readers_know():
    data = (FOLDER / "pond.jsonl").read_bytes()
    for role, source, kind in (("user", "SYSTEM", "SYSTEM_MESSAGE"), ("assistant", "MODEL", "PLANNER_RESPONSE")):
        out = compact(data, target_ratio=0.3, strategy="tiered", summary_role=role).data
        new = [s for s in steps_of(out) if str(s.get("content")).startswith("## Session Summary")]
        assert new
        assert {(s["source"], s["type"], s["status"]) for s in new} == {(source, kind, "DONE")}
        assert all(isinstance(s["step_index"], int) and s["created_at"] for s in new)


@pytest.mark.parametrize(
    "value",
    [
        {"step_id": 1, "source": "user", "message": "hi"},
        {"step_index": 1, "type": "user", "source": "USER_EXPLICIT"},
        {"step_index": "1", "type": "USER_INPUT", "source": "USER_EXPLICIT"},
        {"type": "USER_INPUT", "content": "hi"},
        {"role": "user", "content": "hi", "step_index": 0},
    ],
)
def test_records_of_others_are_not_claimed(value):
    assert FORMATS["antigravity"].recognize(value) == 0
