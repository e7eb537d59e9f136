"""What every output is looked through for before it is written: a strategy with a fault never gets that far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from compactor_cli.model.message import Message, Part
from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline import make_output
from compactor_cli.pipeline import run as pipeline
from compactor_cli.pipeline.assemble import Output, assemble
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.pipeline.sessions import Json, assistant, long_session, result, transcript, user


class Faulty:
    """Keeps all but some groups, whatever the target."""

    name, purpose, suits = "faulty", "", ""
    closes = tiers = writes = learned = False

    def __init__(self, *gone: int) -> None:
        self.gone = gone

    def plan(self, inputs: PlanInput) -> Plan:
        whole = [Decision(g.index, "whole", g.tokens, "kept") for g in inputs.groups]
        gone = [Decision(g.index, "gone", 0, "dropped") for g in inputs.groups]
        chosen = tuple((whole, gone)[g.index in self.gone][g.index] for g in inputs.groups)
        return Plan(self.name, inputs.target, chosen)


def compacted(records: list[Json], *gone: int, target: int) -> Compaction:
    given, settings = transcript(records), Settings(target_tokens=target)
    tools = replace(tools_for(given, make_counter("chars").counter, settings), strategy=Faulty(*gone))
    return pipeline.compact(given, tools, settings)


def test_an_output_over_its_target_is_a_fault_of_this_program() -> None:
    records = long_session(4)
    tokens = transcript(records).tokens
    last = transcript(records[-1:]).tokens
    with pytest.raises(AssertionError, match=f"the output has {tokens} tokens, the target is {tokens - 1}"):
        compacted(records, target=tokens - 1)
    assert compacted(records, 7, target=tokens - last).tokens == tokens - last


def test_an_output_that_is_within_its_target_has_no_fault() -> None:
    records = [user("a"), assistant("b " * 400), user("c"), assistant("d")]
    part = compacted(records, 1, target=100)
    assert [message.text() for message in part.messages] == ["a", "c", "d"]


def assembling(monkeypatch: pytest.MonkeyPatch, change: Callable[[tuple[Message, ...]], Iterable[Message]]) -> None:
    """Outputs are put together with a fault: their messages are changed."""

    def wrongly(*given: Any, **more: Any) -> Output:
        output = assemble(*given, **more)
        return replace(output, messages=tuple(change(output.messages)))

    monkeypatch.setattr(make_output, "assemble", wrongly)


def test_an_output_with_a_new_fault_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [*long_session(3), assistant("b " * 99)]
    assert compacted(records, 7, target=450).tokens <= 450
    assembling(monkeypatch, lambda messages: [m for m in messages if not m.results or m.index > 4])
    words = r"the output has faults that the input did not have: \[\('unanswered_call', 'fill_0'\)\]"
    with pytest.raises(AssertionError, match=words):
        compacted(records, 7, target=450)


def test_a_fault_that_the_input_had_already_is_no_fault_of_this_program(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [user("a"), result("c9", "of no call"), assistant("b " * 400), user("c"), assistant("d")]
    given = transcript(records).messages
    assembling(monkeypatch, lambda messages: [given[1], *messages])
    assert [m.text() for m in compacted(records, 1, target=120).messages] == ["of no call", "a", "c", "d"]
    assembling(monkeypatch, lambda messages: [replace(given[1], parts=(new_call_id(given[1].parts[0]),)), *messages])
    with pytest.raises(AssertionError, match=r"\('orphan_result', 'c8'\)"):
        compacted(records, 1, target=120)


def new_call_id(part: Part) -> Part:
    return replace(part, call_id="c8")
