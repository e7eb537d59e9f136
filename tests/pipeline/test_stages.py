"""The stages of a run: told as they end, with their seconds by the clock that was passed in (seed 003)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli.pipeline import run as pipeline
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.pipeline.sessions import transcript
from tests.strategies import work

STAGES = ["repair", "score", "plan", "summarize", "assemble", "verify"]


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_each_stage_is_told_once_in_its_order(strategy: str) -> None:
    given, settings = transcript(work.session(8)), Settings(strategy=strategy, target_ratio=0.4)
    told: list[str] = []
    seconds = iter(range(100))
    tools = tools_for(given, make_counter("chars").counter, settings)
    tools = replace(tools, progress=told.append, clock=lambda: float(next(seconds)))
    part = pipeline.compact(given, tools, settings)
    assert told == STAGES
    assert part.stages == tuple((stage, 1.0) for stage in STAGES)


def test_a_run_without_anything_to_do_has_no_stages() -> None:
    given, settings = transcript(work.session(1)), Settings(target_tokens=10**6)
    told: list[str] = []
    tools = replace(tools_for(given, make_counter("chars").counter, settings), progress=told.append)
    assert not pipeline.compact(given, tools, settings).changed
    assert told == []
