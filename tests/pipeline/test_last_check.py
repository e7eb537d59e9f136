"""What every output is looked through for before it is written: a strategy with a fault never gets that far."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline import run as pipeline
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.pipeline.sessions import Json, assistant, long_session, transcript, user


class Faulty:
    """Keeps all but some groups, whatever the target."""

    name, purpose, suits = "faulty", "", ""
    closes = tiers = writes = learned = False

    def __init__(self, *gone: int) -> None:
        self.gone = gone

    def plan(self, given: PlanInput) -> Plan:
        whole = [Decision(g.index, "whole", g.tokens, "kept") for g in given.groups]
        gone = [Decision(g.index, "gone", 0, "dropped") for g in given.groups]
        return Plan(self.name, given.target, tuple((whole, gone)[g.index in self.gone][g.index] for g in given.groups))


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
