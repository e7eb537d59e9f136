"""Seed 003, `truncate`: keeps the recent messages, and a mark that says what was cut off."""

from __future__ import annotations

from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.recent import Shape, plan_recent

_SHAPE = Shape("truncate", text_share=0.0)


class Truncate:
    name = "truncate"
    purpose = "recent messages stay whole, the rest is cut off (seed 003)"
    suits = "fixtures, and sessions whose beginning does not matter: fast, simple, lossy"
    learned = False
    closes = False
    tiers = False
    writes = False

    def plan(self, inputs: PlanInput) -> Plan:
        return plan_recent(inputs, _SHAPE)
