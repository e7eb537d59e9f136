"""Gemini CLI: patches, by which newer versions change, take away and order what stands before them."""

from __future__ import annotations

import json

import pytest

from tests.builders import compact, find_faults, jsonl, listing_output, load, prose, values_of
from tests.formats.checkers.gemini_cli import check_history, history, load_session

HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "2026-05-04T08:00:00Z", "kind": "main"}


def returned(number, output):
    return [{"functionResponse": {"id": f"c{number}", "name": "read_file", "response": {"output": output}}}]


def masked(number):
    calls = [{"id": f"c{number}", "result": returned(number, "[masked, see /tmp/x]")}]
    return {"id": f"a{number}", "toolCalls": calls}


def said(name, text, type="user"):
    return {"id": name, "timestamp": "2026-05-04T08:00:00Z", "type": type, "content": text}


def called(number):
    output = {
        "functionResponse": {
            "id": f"c{number}",
            "name": "read_file",
            "response": {"output": listing_output(f"f{number}")},
        }
    }
    call = {"id": f"c{number}", "name": "read_file", "args": {}, "status": "success", "result": [output]}
    return {**said(f"a{number}", prose(f"step {number}", 2), "gemini"), "toolCalls": [call]}


def patch(**fields):
    return {"$patch": fields}


def session(*patches, behind=()):
    steps = [called(number) for number in range(1, 9)]
    return jsonl(HEAD, said("u1", "Build a lamp."), *steps, said("u2", "And a bell."), *patches, *behind)


def texts(data):
    return [message.text() for message in load(data).transcripts[0].messages]


def test_results_and_contents_that_a_patch_changed_are_read_as_it_left_them():
    data = session(patch(updates=[masked(1), {"id": "u2", "content": "And two bells."}]))
    read = texts(data)
    assert "[masked, see /tmp/x]" in read[2]
    assert read[-1] == "And two bells."
    assert listing_output("f1") not in "".join(read)
    assert listing_output("f2") in "".join(read)


def test_a_patch_of_one_message_needs_no_list():
    data = session(patch(**masked(1)))
    assert "[masked, see /tmp/x]" in texts(data)[2]


SUMMARY = said("s1", "<state_snapshot>A lamp was asked for.</state_snapshot>")
COMPRESSED = (SUMMARY, patch(removeIds=["u1", "a1", "a2", "a3"], orderIds=["s1", "a4", "a5", "a6", "a7", "a8", "u2"]))


def test_what_a_patch_takes_away_is_out_of_the_context_and_its_order_counts():
    source = load(session(*COMPRESSED))
    messages = source.transcripts[0].messages
    assert [m.id for m in messages if m.role != "tool"] == ["s1", "a4", "a5", "a6", "a7", "a8", "u2"]
    assert (messages[0].origin, messages[0].pinned) == ("summary", True)
    assert [note.kind for note in source.notes] == ["outside_context"]
    assert find_faults(source) == []


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered"])
@pytest.mark.parametrize("ratio", [0.6, 0.2])
def test_the_agent_sends_of_an_output_what_was_kept_in_its_order(strategy, ratio):
    data = session(patch(updates=[masked(5)]), *COMPRESSED, behind=[called(9), said("u3", "Go on.")])
    out = compact(data, target_ratio=ratio, strategy=strategy).data
    sent = load_session(out)
    check_history(history(sent))
    # of a message with calls the results are a message of their own
    names = [m.id for m in load(out).transcripts[0].messages if not m.id.endswith(":results")]
    assert [message["id"] for message in sent] == names
    assert listing_output("f5") not in json.dumps(sent)
    again = compact(out, target_ratio=0.9, strategy=strategy).data
    assert [m["id"] for m in load_session(again)][:1] == names[:1]


def test_with_room_for_all_a_patched_session_stays_to_the_byte():
    data = session(*COMPRESSED)
    assert compact(data, target_tokens=10**9).data == data


def test_a_patch_before_a_list_that_replaces_all_changes_nothing():
    replaced = {"$set": {"messages": [said("n1", "Only this."), said("n2", "Yes.", "gemini")]}}
    assert texts(session(*COMPRESSED, behind=[replaced])) == ["Only this.", "Yes."]


def test_going_back_behind_a_patch_takes_back_what_stands_behind_it():
    data = session(*COMPRESSED, behind=[said("u3", "No."), {"$rewindTo": "u3"}])
    assert texts(data)[-1] == "And a bell."
    assert len(values_of(data)) == len(values_of(compact(data, target_tokens=10**9).data))
