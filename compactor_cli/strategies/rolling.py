"""Seed 001: keeps the system message and the recent messages, with one session summary that each round continues."""

from __future__ import annotations

from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.recent import Shape
from compactor_cli.strategies.small_rooms import plan_in_any_room

_SHAPE = Shape("rolling", outline="session", repeats_requests=True)


class Rolling:
    name = "rolling"
    purpose = "system message, one session summary carried from round to round, recent messages (seed 001)"
    suits = "sessions that continue and are compacted repeatedly: one summary, never a summary of summaries"
    learned = True
    closes = False
    tiers = False
    writes = True

    def plan(self, inputs: PlanInput) -> Plan:
        return plan_in_any_room(inputs, _SHAPE)
