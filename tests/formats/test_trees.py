"""Sessions that are trees, with records that are there more than once, on other branches, or out of their order."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.model.content import read_all
from compactor_cli.strategies import STRATEGIES
from tests.builders import compact, find_faults, jsonl, load, prose, read_records, values_of

TIME = "2026-01-01T00:00:0{}Z"


def pi(number, parent, message, **more):
    time = TIME.format(number)
    own = {"type": "message", "id": f"m{number}", "parentId": parent, "timestamp": time, "message": message}
    return {**own, **more}


def pi_call(number):
    call = {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": "make"}}
    return {"role": "assistant", "content": [call], "timestamp": number}


def pi_result(call, text):
    return {"role": "toolResult", "toolCallId": call, "toolName": "bash", "content": text, "timestamp": 1}


def pi_said(role, text):
    return {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1}


def pi_note(parent, name="n1"):
    return {"type": "model_change", "id": name, "parentId": parent, "timestamp": TIME.format(9), "modelId": "m"}


PI = [
    pi(1, "s", pi_said("user", prose("build", 6))),
    pi(2, "m1", pi_call(2)),
    pi(3, "c2", pi_result("c2", prose("log", 6))),
    pi(4, "m3", pi_said("assistant", prose("end", 6))),
    pi(5, "m4", pi_said("user", "Go on.")),
]
PI_HEAD = {"type": "session", "id": "s", "version": 3, "timestamp": TIME.format(0), "cwd": "/tmp"}


def droid(number, role, *blocks):
    message = {"role": role, "content": list(blocks)}
    parent = f"m{number - 1}" if number > 1 else ""
    return {"type": "message", "id": f"m{number}", "parentId": parent, "timestamp": TIME.format(1), "message": message}


DROID = [
    droid(1, "user", {"type": "text", "text": prose("build", 6)}),
    droid(2, "assistant", {"type": "tool_use", "id": "c2", "name": "Execute", "input": {"command": "make"}}),
    droid(3, "user", {"type": "tool_result", "tool_use_id": "c2", "content": prose("log", 6)}),
    droid(4, "assistant", {"type": "text", "text": prose("end", 6)}),
    droid(5, "user", {"type": "text", "text": "Go on."}),
]
DROID_HEAD = {"type": "session_start", "id": "s", "title": "Build"}


def event(number, kind, source, **more):
    parent = f"m{number - 1}" if number > 1 else "__root__"
    time = TIME.format(number)
    return {"id": f"m{number}", "timestamp": time, "source": source, "kind": kind, "parent_id": parent, **more}


def openhands_said(number, role, text):
    source = "user" if role == "user" else "agent"
    said = {"role": role, "content": [{"type": "text", "text": text}]}
    return event(number, "MessageEvent", source, llm_message=said)


CALL = {"tool_name": "bash", "tool_call_id": "c2"}
OPENHANDS = [
    openhands_said(1, "user", prose("build", 6)),
    event(
        2, "ActionEvent", "agent", **CALL, tool_call={"id": "c2", "name": "bash", "arguments": '{"command": "make"}'}
    ),
    event(3, "ObservationEvent", "environment", **CALL, observation={"content": [{"type": "text", "text": "Built."}]}),
    openhands_said(4, "assistant", prose("end", 6)),
    openhands_said(5, "user", "Go on."),
]
TREES: dict[str, tuple[list[Any], list[Any]]] = {
    "pi": ([PI_HEAD], PI),
    "droid": ([DROID_HEAD], DROID),
    "openhands": ([], OPENHANDS),
}


def said(source):
    return [message.text() for transcript in source.transcripts for message in transcript.messages]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("again", [(0,), (0, 1), (1, 0), (1,), (2,), (2, 0), (0, 1, 2, 0)])
@pytest.mark.parametrize("name", TREES)
def test_records_that_are_there_again_later_are_read_and_written_once_and_in_the_order_of_the_tree(name, again):
    head, records = TREES[name]
    repeated = [*head, *records[:4], *(records[at] for at in again), records[4]]
    source = load(jsonl(*repeated))
    assert source.format == name
    assert said(source) == said(load(jsonl(*head, *records)))
    assert find_faults(source) == []
    first = [message.records[0] for message in source.transcripts[0].messages]
    assert first == sorted(first)
    for strategy in STRATEGIES:
        done = compact(jsonl(*repeated), strategy=strategy, target_ratio=0.6)
        after = load(read_all(done.data))
        assert said(after) == [message.text() for message in done.parts[0].messages]
        assert find_faults(after) == []


def test_events_that_name_no_parents_are_all_read_and_written():
    events = [{key: value for key, value in one.items() if key != "parent_id"} for one in OPENHANDS]
    repeated = jsonl(events[0], events[1], *events, *events[3:])
    assert len(said(load(repeated))) > len(events)
    for strategy in STRATEGIES:
        done = compact(repeated, strategy=strategy, target_ratio=0.4)
        assert said(load(read_all(done.data))) == [message.text() for message in done.parts[0].messages]


def test_what_a_compaction_of_pi_kept_is_found_where_entries_of_it_are_there_again():
    end = {"type": "compaction", "id": "z", "parentId": "m4", "timestamp": TIME.format(9), "summary": prose("all", 3)}
    head, kept = [PI_HEAD, *PI[:4]], {**end, "firstKeptEntryId": "m1"}
    repeated = jsonl(*head, PI[0], kept)
    assert said(load(repeated)) == said(load(jsonl(*head, kept)))
    for strategy in STRATEGIES:
        done = compact(repeated, strategy=strategy, target_ratio=0.6)
        assert said(load(read_all(done.data))) == [message.text() for message in done.parts[0].messages]


def test_the_head_of_a_session_of_droid_ends_the_way_wherever_it_stands():
    begun = [{**DROID[0], "parentId": "s"}, *DROID[1:]]
    other = {**droid(9, "user", {"type": "text", "text": "Another."}), "parentId": "m8"}
    assert said(load(jsonl(other, DROID_HEAD, *begun))) == said(load(jsonl(DROID_HEAD, *begun)))


def test_a_result_of_openclaw_that_names_its_call_as_its_parent_hangs_on_the_entry_of_the_call():
    odd = pi(3, "c2", {**pi_result("c2", "OK."), "role": [None]})
    records = [PI_HEAD, PI[0], PI[1], odd, PI[3], pi(5, "m4", pi_call(5)), pi(6, "c5", pi_result("c5", "OK."))]
    done = compact(jsonl(*records), strategy="truncate", target_tokens=60)
    out = read_all(done.data)
    assert [(record["id"], record.get("parentId")) for record in values_of(out)] == [
        ("s", None),
        ("m1", "s"),
        ("m3", "m1"),
    ]
    assert said(load(out)) == [done.parts[0].messages[0].text()]


def test_a_call_in_an_entry_without_an_id_is_the_parent_of_its_result():
    caller = {key: value for key, value in PI[1].items() if key not in ("id", "parentId")}
    assert len(read_records(PI_HEAD, PI[0], caller, *PI[2:])) == 5


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_where_the_newest_messages_go_what_is_left_stands_behind_the_records_of_other_branches(strategy):
    asked = pi(1, "s", pi_said("user", "Build."))
    records = [PI_HEAD, asked, PI[1], pi_note("m1"), PI[2], pi_note("s", "n2"), PI[3]]
    for tokens in (12, 30, 60, 90):
        done = compact(jsonl(*records), strategy=strategy, target_tokens=tokens)
        out = read_all(done.data)
        assert said(load(out)) == [message.text() for message in done.parts[0].messages]
        assert {"n1", "n2"} < {record["id"] for record in values_of(out)}


def test_nothing_is_left_out_of_a_session_of_which_nothing_is_sent():
    end = {"type": "model_change", "id": "n1", "parentId": None, "timestamp": TIME.format(9), "modelId": "m"}
    data = jsonl(PI_HEAD, *PI, end)
    assert said(load(data)) == []
    assert read_all(compact(data, drop_outside=True, target_ratio=0.5).data) == data


def test_turns_of_another_branch_do_not_become_the_end_of_a_session_of_claude_code():
    def turn(number, parent, role, text, **more):
        message = {"role": role, "content": text}
        own = {"uuid": f"u{number}", "parentUuid": parent, "sessionId": "s", "timestamp": TIME.format(number)}
        return {"type": role, "message": message, **own, **more}

    asked, answer = turn(1, None, "assistant", "Yes?"), turn(2, "u1", "user", "Build.")
    left = turn(3, "u1", "assistant", "No.")
    progress = {"type": "progress", "uuid": "p1", "parentUuid": "u2", "sessionId": "s", "timestamp": TIME.format(3)}
    end = turn(4, "u2", "assistant", prose("end", 9))
    out = read_all(compact(jsonl(asked, answer, left, progress, end), strategy="adaptive", target_tokens=14).data)
    assert said(load(out)) == ["Yes?", "Build."]
