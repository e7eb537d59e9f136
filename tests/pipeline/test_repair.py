"""Faults of the input mended before anything is decided, and every repair reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.transcript import Note, Transcript
from compactor_cli.pipeline.earlier_marks import without_marks
from compactor_cli.pipeline.repair import repair
from compactor_cli.pipeline.verify import faults
from tests.pipeline.sessions import (
    Json,
    assistant,
    compact,
    filler,
    long_session,
    records_of,
    result,
    system,
    transcript,
    user,
)


def mend(records: list[Json], format: str = "openai-chat") -> tuple[Transcript, tuple[Note, ...]]:
    given = transcript(records, format=format)
    return repair(given, adjacent_results=True, per_message=2, count=lambda text: -(-len(text) // 4))


def kinds(notes: tuple[Note, ...]) -> list[str]:
    return [note.kind for note in notes]


def is_valid(mended: Transcript) -> bool:
    return not faults(mended.messages, adjacent_results=True)


def test_a_transcript_without_faults_is_returned_as_it_is() -> None:
    given = transcript([user("a"), assistant(None, "c1"), result("c1"), assistant("b")])
    mended, notes = repair(given, adjacent_results=True, per_message=2, count=len)
    assert mended is given
    assert notes == ()


def test_a_missing_result_is_added_and_says_that_it_is_synthetic() -> None:
    mended, notes = mend([user("a"), assistant(None, "c1"), user("b"), assistant("c")])
    assert is_valid(mended)
    assert notes == (Note("synthetic_result", 1, "the call had no result"),)
    added = mended.messages[2]
    assert added.records == ()
    assert "synthetic" in added.text()
    assert added.parts[0].call_id == "c1"
    assert added.parts[0].failed is True


def test_a_result_without_a_call_is_taken_out() -> None:
    mended, notes = mend([user("a"), result("lost"), assistant("b")])
    assert is_valid(mended)
    assert kinds(notes) == ["removed_result"]
    assert [m.text() for m in mended.messages] == ["a", "b"]


def test_of_two_results_for_a_call_the_first_stays() -> None:
    mended, notes = mend([assistant(None, "c1"), result("c1", "first"), result("c1", "second"), user("b")])
    assert is_valid(mended)
    assert kinds(notes) == ["removed_result"]
    assert [m.text() for m in mended.messages if m.results] == ["first"]


@pytest.mark.parametrize(
    "records",
    [
        [result("c1", "early"), user("a"), assistant(None, "c1"), user("b")],
        [assistant(None, "c1"), user("a"), assistant("hm"), result("c1", "early"), user("b")],
    ],
    ids=["before its call", "far behind its call"],
)
def test_a_result_that_stands_elsewhere_is_moved_behind_its_call(records: list[Json]) -> None:
    mended, notes = mend(records)
    assert is_valid(mended)
    assert kinds(notes) == ["moved_result"]
    call = next(m.index for m in mended.messages if m.calls)
    assert mended.messages[call + 1].text() == "early"


def test_reused_ids_are_no_fault() -> None:
    records = [assistant(None, "c1"), result("c1"), user("a"), assistant(None, "c1"), result("c1"), user("b")]
    assert mend(records)[1] == ()


def test_a_call_in_flight_at_the_end_gets_no_result() -> None:
    mended, notes = mend([user("a"), assistant(None, "c1", "c2"), result("c1")])
    assert notes == ()
    assert len(mended.messages) == 3


def _blocks(role: str, *blocks: Json) -> Json:
    return {"role": role, "content": list(blocks)}


def _use(call_id: str) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "Read", "input": {}}


def _answer(call_id: str, text: str) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text}


def test_results_of_parallel_calls_that_stand_far_away_in_one_message_are_not_lost() -> None:
    """What a tool said is in the file: to answer the call anew with "no response" would lose it."""
    mended, _ = mend(
        [
            user("go"),
            _blocks("assistant", _use("c1"), _use("c2")),
            user("meanwhile"),
            _blocks("user", _answer("c1", "alpha output"), _answer("c2", "beta output")),
            assistant("fine"),
        ],
        "anthropic",
    )
    assert is_valid(mended)
    said = "\n".join(m.text() for m in mended.messages)
    assert "alpha output" in said
    assert "beta output" in said


def test_a_surplus_result_among_others_stays_as_text_and_counts() -> None:
    mended, notes = mend(
        [
            user("go"),
            _blocks("assistant", _use("c1")),
            _blocks("user", _answer("c1", "alpha"), _answer("lost", "")),
            assistant("fine"),
        ],
        "anthropic",
    )
    assert is_valid(mended)
    assert kinds(notes) == ["removed_result"]
    turned = mended.messages[2]
    assert turned.tokens == 2 + sum(-(-len(p.text) // 4) for p in turned.parts), "the text put there is not counted"


def test_what_a_repair_leaves_as_text_is_no_request_of_the_user_when_read_again() -> None:
    records = [
        user("First request."),
        *(r for n in range(12) for r in _exchange(n)),
        user("Last request."),
        _blocks("assistant", _use("c1")),
        _blocks("user", _answer("c1", "alpha"), _answer("lost", "beta said so")),
        _blocks("assistant", {"type": "text", "text": "fine"}),
    ]
    part = compact(records, format="anthropic", target_ratio=0.9)
    (again,) = api.load(part.data, format="anthropic", tokenizer="chars").transcripts
    requests = [m.text("text") for m in without_marks(again, len)[0].messages if m.origin == "request"]
    assert requests == ["First request.", "Last request."]


def _exchange(number: int) -> list[Json]:
    return [_blocks("assistant", _use(f"x{number}")), _blocks("user", _answer(f"x{number}", f"line {number} " * 40))]


def test_repairs_are_reported_and_written() -> None:
    records = [*long_session(30), assistant(None, "open"), user("And?"), assistant("Done.")]
    part = compact(records, target_ratio=0.5, keep=("And",))
    assert [note.kind for note in part.repairs] == ["synthetic_result"]
    written = [r for r in records_of(part) if r.get("tool_call_id") == "open"]
    assert len(written) <= 1
    assert all("synthetic" in r["content"] for r in written)


def test_the_caller_s_transcript_is_not_changed() -> None:
    given = transcript([user("a"), assistant(None, "c1"), user("b"), result("c1"), result("c1")])
    before = repr(given.messages)
    repair(given, adjacent_results=True, per_message=2, count=len)
    assert repr(given.messages) == before


def test_synthetic_records_of_a_reused_id_have_ids_of_their_own() -> None:
    """In Claude Code sessions records point at each other, so two must not share an id."""
    records: list[Json] = []

    def add(kind: str, message: Json) -> None:
        uuid = f"u{len(records)}"
        parent = records[-1]["uuid"] if records else None
        records.append(
            {
                "type": kind,
                "message": message,
                "uuid": uuid,
                "parentUuid": parent,
                "sessionId": "s",
                "isSidechain": False,
            }
        )

    add("user", {"role": "user", "content": "go"})
    for number in range(3):
        add("assistant", {"id": f"msg{number}", "role": "assistant", "content": [_use("same")]})
        add("user", {"role": "user", "content": f"question {number} " * 50})
    add("assistant", {"id": "end", "role": "assistant", "content": [{"type": "text", "text": "done " * 200}]})
    part = compact(records, format="claude-code", target_ratio=0.8, keep=("question", "ls", "{}"))
    uuids = [json.loads(line)["uuid"] for line in part.data.decode().splitlines()]
    assert len(uuids) == len(set(uuids))


def test_a_summary_stands_behind_what_came_before_the_messages_it_replaces() -> None:
    """Also where a repair moved a result, whose record stands earlier in the file."""
    records: list[Any] = [system(), result("c1", "early"), user("The first request."), assistant(None, "c1")]
    for number in range(30):
        records += filler(number)
    records += [user("The last request."), assistant("Ok.")]
    part = compact(records, strategy="ranked", target_ratio=0.5)
    texts = [m.text() for m in part.messages]
    summary = next(at for at, text in enumerate(texts) if text.startswith("## Session Summary"))
    assert texts.index("The first request.") < summary
