"""Cleaning of a history (seed 004): unanswered calls are answered, and a tool result does not end it where a turn of
the user is to follow."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.message import is_closing
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from tests.builders import run_process
from tests.pipeline.sessions import Json, assistant, filler, load, long_session, records_of, result, to_bytes, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

UNDERSTOOD = {"role": "assistant", "content": "Understood."}
EVERY = pytest.mark.parametrize("strategy", sorted(STRATEGIES))
TARGETS: list[dict[str, Any]] = [{"target_tokens": 1_000_000}, {"target_ratio": 0.4}]


def closed(records: list[Json], *, format: str = "", **settings: Any) -> Compaction:
    (part,) = api.compact(load(records, format=format), Settings(**settings), tokenizer="chars", closed=True).parts
    return part


def kinds(part: Compaction) -> list[str]:
    return [note.kind for note in part.repairs]


# -- ensureAssistantAfterTools


@EVERY
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_history_that_ends_with_a_tool_result_gets_an_assistant_turn(strategy: str, target: dict[str, Any]) -> None:
    records = [*work.session(8), *filler(1, words=10)]
    part = closed(records, strategy=strategy, keep_last=1, **target)
    assert records_of(part)[-1] == UNDERSTOOD
    assert part.messages[-2].results
    assert kinds(part) == ["assistant_turn"]
    assert part.target is None or part.tokens <= part.target
    assert not faults(part.messages, adjacent_results=True)


@EVERY
@pytest.mark.parametrize("records", [work.session(8), [*work.session(8), user("And?")]], ids=["assistant", "user"])
def test_a_history_that_ends_otherwise_gets_none(strategy: str, records: list[Json]) -> None:
    part = closed(records, strategy=strategy, target_ratio=0.4)
    assert UNDERSTOOD not in records_of(part)
    assert kinds(part) == []


@EVERY
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_a_request_beside_tool_results_is_left_to_be_answered(strategy: str, target: dict[str, Any]) -> None:
    call = {"type": "tool_use", "id": "a", "name": "ls", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "src"}
    talk = [{"role": role, "content": f"{role} {n} says it. " * 20} for n in range(9) for role in ("user", "assistant")]
    asked = {"role": "user", "content": [answer, {"type": "text", "text": "Only list the tests."}]}
    records = [*talk, user("List it."), {"role": "assistant", "content": [call]}, asked]
    part = closed(records, strategy=strategy, **target)
    assert "Only list the tests." in part.messages[-1].text()
    assert kinds(part) == []
    (answered,) = load([*records, UNDERSTOOD]).transcripts
    assert not is_closing(answered.messages, len(records))


def test_a_history_within_its_target_that_is_closed_already_comes_out_byte_for_byte() -> None:
    records = work.session(3)
    assert closed(records, target_tokens=1_000_000).data == to_bytes(records)


def test_to_close_it_again_changes_nothing() -> None:
    first = closed([*work.session(3), *filler(1)], target_tokens=1_000_000)
    assert closed(records_of(first), target_tokens=1_000_000).changed is False


@EVERY
def test_without_being_asked_only_handoff_closes_a_history(strategy: str) -> None:
    records = [*work.session(8), *filler(1, words=10)]
    (part,) = api.compact(
        load(records), Settings(strategy=strategy, target_ratio=0.5, keep_last=1), tokenizer="chars"
    ).parts
    assert (records_of(part)[-1] == UNDERSTOOD) is (strategy == "handoff")


def test_the_assistant_turn_goes_when_the_tool_result_before_it_does() -> None:
    part = closed([*work.session(8), *filler(1)], strategy="handoff", target_tokens=450)
    assert [m.role for m in part.messages] == ["system", "user"]
    assert kinds(part) == []


def test_the_assistant_turn_has_the_form_of_its_format() -> None:
    use = {"type": "tool_use", "id": "c1", "name": "Read", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": "alpha"}
    records: list[Json] = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [use]}]
    part = closed([*records, {"role": "user", "content": [answer]}], format="anthropic", target_tokens=10_000)
    (again,) = api.load(part.data, format="anthropic", tokenizer="chars").transcripts
    assert [m.role for m in again.messages] == ["user", "assistant", "tool", "assistant"]
    assert again.messages[-1].text() == "Understood."


# -- fillMissingToolResponses


@EVERY
def test_an_unanswered_call_in_the_middle_is_answered_and_marked(strategy: str) -> None:
    records = [*long_session(20), assistant("I look.", "lost"), user("Never mind."), assistant("Fine."), user("Bye.")]
    settings = Settings(strategy=strategy, target_ratio=0.7, keep_last=4)
    (part,) = api.compact(load(records), settings, tokenizer="chars").parts
    assert kinds(part) == ["synthetic_result"]
    (answer,) = [r for r in records_of(part) if r.get("tool_call_id") == "lost"]
    assert answer["content"] == "Tool no response (synthetic: the transcript holds no result for this call)"
    at = records_of(part).index(answer)
    assert records_of(part)[at - 1]["tool_calls"][0]["id"] == "lost"


@EVERY
def test_a_call_in_flight_stays_open_unless_the_history_is_to_be_closed(strategy: str) -> None:
    records = [*work.session(8), assistant("I look.", "open", "other"), result("other")]
    (part,) = api.compact(load(records), Settings(strategy=strategy, target_ratio=0.5), tokenizer="chars").parts
    assert kinds(part) == []
    assert {m.parts[0].call_id for m in part.messages[-1:]} == {"other"}
    both = closed(records, strategy=strategy, target_ratio=0.5, keep_last=1)
    assert sorted(kinds(both)) == ["assistant_turn", "synthetic_result"]
    assert records_of(both)[-1] == UNDERSTOOD
    assert not faults(both.messages, adjacent_results=True)


# -- everything is reported


def test_the_report_of_a_process_names_what_was_cleaned(tmp_path: Any) -> None:
    records = [*work.session(8), assistant(None, "lost"), user("And?"), *filler(1, words=10)]
    path, out, report = tmp_path / "session.jsonl", tmp_path / "out.jsonl", tmp_path / "report.json"
    path.write_bytes(to_bytes(records))
    options = ("--strategy", "handoff", "--keep-last", "4", "--target-ratio", "0.5")
    done = run_process("compact", path, *options, "-o", out, "--report", report)
    assert done.code == 0, done.stderr
    repairs = json.loads(report.read_text())["repairs"]
    assert sorted(repair["kind"] for repair in repairs) == ["assistant_turn", "synthetic_result"]
    assert json.loads(out.read_bytes().splitlines()[-1]) == UNDERSTOOD
