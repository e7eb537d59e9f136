"""The invariants of a valid transcript."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli.pipeline.verify import faults
from tests.pipeline.sessions import Json, assistant, result, transcript, user


def kinds(records: list[Json], *, adjacent: bool = True) -> list[str]:
    messages = transcript(records, format="openai-chat").messages
    return [fault.kind for fault in faults(messages, adjacent_results=adjacent)]


FINE = {
    "no calls": [user("a"), assistant("b")],
    "parallel calls": [assistant(None, "c1", "c2"), result("c2"), result("c1"), assistant("b")],
    "reused ids": [assistant(None, "c1"), result("c1"), assistant(None, "c1"), result("c1")],
    "in flight": [user("a"), assistant(None, "c1")],
    "in flight, one of two is back": [user("a"), assistant(None, "c1", "c2"), result("c2")],
}


@pytest.mark.parametrize("records", FINE.values(), ids=FINE)
def test_valid_transcripts_have_no_faults(records: list[Json]) -> None:
    assert kinds(records) == []


BROKEN = {
    "unanswered_call": [assistant(None, "c1"), user("a"), assistant("b")],
    "orphan_result": [user("a"), result("c1"), assistant("b")],
    "duplicate_result": [assistant(None, "c1"), result("c1"), result("c1"), user("a")],
    "misplaced_result": [assistant(None, "c1"), user("a"), result("c1"), user("b")],
}


@pytest.mark.parametrize(("kind", "records"), BROKEN.items(), ids=BROKEN)
def test_each_fault_is_found_by_its_name(kind: str, records: list[Json]) -> None:
    assert kinds(records) == [kind]


def test_where_ids_alone_pair_results_may_stand_elsewhere() -> None:
    assert kinds(BROKEN["misplaced_result"], adjacent=False) == []


def test_a_fault_names_the_message_and_the_call() -> None:
    messages = transcript(BROKEN["unanswered_call"]).messages
    (fault,) = faults(messages, adjacent_results=True)
    assert (fault.index, fault.call_id) == (0, "c1")
    assert "Bash" in fault.detail


def test_calls_of_the_last_turn_are_in_flight_in_however_many_messages_it_stands() -> None:
    def turns(*ids: str | None) -> list[str]:
        """Faults of a call in each of some messages of the assistant, which belong to these turns."""
        given = transcript([user("a"), *(assistant(None, f"c{at}") for at in range(len(ids)))], format="openai-chat")
        messages = [replace(m, turn=turn) for m, turn in zip(given.messages, (None, *ids), strict=True)]
        return [fault.call_id for fault in faults(messages, adjacent_results=True)]

    assert turns("t1", "t1", "t1") == []
    assert turns("t0", "t1", "t1") == ["c0"]
    assert turns("t1", "t0", "t1") == ["c0", "c1"]
    assert turns(None, None) == ["c0"]
