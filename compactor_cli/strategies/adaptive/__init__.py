"""Strategy `adaptive`: chooses lines, arranges them in time order, and renders them in place or in summaries."""

from __future__ import annotations

from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput


class Adaptive:
    name = "adaptive"
    purpose = "keeps the lines that the rest of the session is most likely to need, by learned signals"
    suits = "a token target: keeps as much as fits of what the next turns need"
    closes = False
    tiers = False
    writes = False
    learned = True

    def plan(self, inputs: PlanInput) -> Plan:
        from compactor_cli.strategies.adaptive.strategy import plan_adaptive  # large, and not needed to describe it

        return plan_adaptive(inputs)
