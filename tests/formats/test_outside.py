"""Records outside the context: left out on request, and to the agent the session is the same."""

from __future__ import annotations

import json

import pytest

from compactor_cli.errors import BudgetError, InputError
from tests.builders import compact, find_faults, load
from tests.formats.checkers.copilot_cli import check_events
from tests.formats.checkers.copilot_cli import sent as events_sent
from tests.formats.checkers.droid import check_session
from tests.formats.checkers.gemini_cli import history, load_session
from tests.formats.checkers.opencode import check_messages
from tests.formats.checkers.pi import check_sent, context
from tests.formats.roundtrip import CASES, REAL

OWN = ("claude-code", "codex", "copilot-cli", "antigravity", "droid", "gemini-cli", "opencode", "pi", "qwen")
FILES = [path for name in OWN for path in sorted((CASES / name).iterdir())]
AGENTS = REAL / "agent-sessions-fixtures" / "stage0" / "agents"
REAL_FILES = [
    *sorted((REAL / "claude-code").glob("*.jsonl")),
    *sorted((REAL / "codex").glob("*.jsonl")),
    *sorted((REAL / "copilot-cli").glob("*.jsonl")),
    *(
        path
        for name in ("antigravity", "claude", "codex", "copilot", "droid", "openclaw", "pi", "qwen")
        for path in sorted(AGENTS.glob(f"{name}/*.jsonl"))
    ),
]
WITHOUT_LIMIT = 10**9


def sent(source):
    """What the model gets; ids and places may differ."""
    return [
        [(m.role, m.origin, m.pinned, [(p.kind, p.text, p.images) for p in m.parts]) for m in t.messages]
        for t in source.transcripts
    ]


def assert_the_same_without(data):
    """Without what is outside it is a shorter file of the same messages, and nothing more can be left out of it."""
    source = load(data)
    outside = sum(len(t.outside) for t in source.transcripts)
    result = compact(data, target_tokens=WITHOUT_LIMIT, drop_outside=True)
    again = load(result.data)
    assert again.format == source.format
    assert sent(again) == sent(source)
    assert len(find_faults(again)) <= len(find_faults(source))
    assert not any(t.outside for t in again.transcripts)
    assert (len(result.data) < len(data)) if outside else (result.data == data)
    return result.data


def assert_smaller_than_with_it(data):
    """What is left out takes nothing from the context: the compaction is the same without it."""
    try:
        with_it, without = (compact(data, target_ratio=0.25, drop_outside=drop) for drop in (False, True))
    except BudgetError:
        return  # a short session that cannot get as small as that
    assert sent(load(without.data)) == sent(load(with_it.data))
    assert len(without.data) <= len(with_it.data)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_session_is_the_same_without_what_is_outside(path):
    data = path.read_bytes()
    assert_the_same_without(data)
    assert_smaller_than_with_it(data)


@pytest.mark.drawn(9)
@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_real_session_is_the_same_without_what_is_outside(path):
    data = path.read_bytes()
    try:
        load(data)
    except InputError:
        pytest.skip("is refused")
    if data.count(b'"uuid":"[trimmed for fixture]"') > 1:
        pytest.skip("has lost its ids")
    if find_faults(load(data)):
        pytest.skip("has faults, which are repaired when anything is left out")
    assert_the_same_without(data)


def records_of(data):
    return [json.loads(line) for line in data.splitlines()]


def test_pi_walks_the_same_way_without_other_branches():
    data = (CASES / "pi" / "branches.jsonl").read_bytes()
    out = assert_the_same_without(data)
    before, after = context(records_of(data)), context(records_of(out))
    check_sent(after)
    assert [entry["id"] for entry in after] == [entry["id"] for entry in before]
    assert len(records_of(out)) < len(records_of(data))
    kept = {entry["type"] for entry in records_of(out)}
    assert kept >= {entry["type"] for entry in records_of(data)} - {"label", "branch_summary"}


@pytest.mark.parametrize("name", ["ferry.jsonl", "lighthouse.jsonl"])
def test_gemini_cli_sends_the_same_without_what_was_taken_back_or_replaced(name):
    data = (CASES / "gemini-cli" / name).read_bytes()
    out = assert_the_same_without(data)
    assert len(records_of(out)) < len(records_of(data))
    assert history(load_session(out)) == history(load_session(data))


def test_opencode_imports_what_is_left_behind_a_compaction():
    data = (CASES / "opencode" / "cellar.json").read_bytes()
    messages = json.loads(assert_the_same_without(data))
    messages = messages["messages"] if isinstance(messages, dict) else messages
    check_messages(messages)
    assert len(messages) == 15


def answered(events):
    """Messages without the results of calls that a compaction replaced while they ran."""
    calls = {call["toolCallId"] for event in events for call in event["data"].get("toolRequests", ())}
    for event in events:
        if event["type"] != "tool.execution_complete" or event["data"]["toolCallId"] in calls:
            yield event


@pytest.mark.parametrize(("name", "left"), [("salt.jsonl", 33), ("weir.jsonl", 11)])
def test_copilot_cli_sends_the_same_without_what_was_replaced_or_taken_back(name, left):
    data = (CASES / "copilot-cli" / name).read_bytes()
    out = assert_the_same_without(data)
    check_events(records_of(out), needed=name != "weir.jsonl")
    before, after = (list(answered(events_sent(records_of(bytes_)))) for bytes_ in (data, out))
    assert [event["id"] for event in after] == [event["id"] for event in before]
    assert len(records_of(out)) == left
    first = next(value for value in records_of(data) if value["type"] == "user.message")
    assert first in records_of(out), "sessions are listed by it"


def test_antigravity_keeps_its_own_steps_to_itself():
    kinds = {value["type"] for value in records_of((CASES / "antigravity" / "pond.jsonl").read_bytes())}
    out = assert_the_same_without((CASES / "antigravity" / "pond.jsonl").read_bytes())
    assert kinds - {value["type"] for value in records_of(out)} == {
        "CHECKPOINT",
        "CONVERSATION_HISTORY",
        "EPHEMERAL_MESSAGE",
    }


def test_droid_walks_the_same_way_without_other_branches():
    data = (CASES / "droid" / "hives.jsonl").read_bytes()
    out = assert_the_same_without(data)
    check_session(out, chained=True)
    assert {value["id"] for value in records_of(data)} - {value["id"] for value in records_of(out)} == {"m06", "m07"}


def test_qwen_code_keeps_the_first_words_of_the_user():
    data = (CASES / "qwen" / "orchard.jsonl").read_bytes()
    out = records_of(assert_the_same_without(data))
    assert len(out) == len(records_of(data)) - 11
    first = next(value for value in records_of(data) if value["type"] == "user")
    assert next(value for value in out if value["type"] == "user") == first
