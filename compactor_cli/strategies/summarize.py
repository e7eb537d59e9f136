"""Seed 003, `summarize`: summarizes the older messages and keeps the recent ones unchanged."""

from __future__ import annotations

from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.recent import Shape
from compactor_cli.strategies.small_rooms import plan_in_any_room

_SHAPE = Shape("summarize")


class Summarize:
    name = "summarize"
    purpose = "one summary of everything but the recent messages (seed 003)"
    suits = "talk without tools, where the words matter more than tool results"
    learned = True
    closes = False
    tiers = False
    writes = True

    def plan(self, inputs: PlanInput) -> Plan:
        return plan_in_any_room(inputs, _SHAPE)
