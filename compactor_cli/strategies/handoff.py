"""Seed 004: everything becomes a summary in seven parts that ends with the last request: [system, user].

The exchange in hand, whose results the agent has not answered yet, stays after it."""

from __future__ import annotations

from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.recent import Shape
from compactor_cli.strategies.small_rooms import plan_in_any_room

_SHAPE = Shape("handoff", outline="handoff", text_share=0.25, has_recent=False, newest_share=0.6, repeats_requests=True)


class Handoff:
    name = "handoff"
    purpose = "a summary in seven parts with the last request, and the call in hand: [system, user] (seed 004)"
    suits = "a fresh start: another agent or model continues the work"
    learned = True
    closes = True
    tiers = False
    writes = True

    def plan(self, inputs: PlanInput) -> Plan:
        return plan_in_any_room(inputs, _SHAPE)
