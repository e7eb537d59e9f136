"""The inputs that a strategy receives for a session, so that tests can call its parts one by one."""

from __future__ import annotations

from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.pipeline.make_plan import make_plan
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.pipeline.sessions import Json, load


class RecordingStrategy:
    """A strategy that records its inputs."""

    name, purpose, suits = "asked", "", ""
    closes = tiers = writes = learned = False
    inputs: PlanInput

    def plan(self, inputs: PlanInput) -> Plan:
        self.inputs = inputs
        return Plan(self.name, inputs.target, ())


def plan_inputs(records: list[Json], kept: frozenset[int] = frozenset()) -> PlanInput:
    source, settings, asked = load(records), Settings(strategy="tiered"), RecordingStrategy()
    (analysis,) = api.score(source, settings, tokenizer="chars")
    tools = tools_for(source.transcripts[0], make_counter("chars").counter, settings)
    make_plan(replace(analysis, kept=kept), replace(tools, strategy=asked), settings, 9_000)
    return asked.inputs
