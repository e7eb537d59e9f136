"""What strategies do whose summaries have headings, where a room is too small for these: `adaptive` plans instead."""

from __future__ import annotations

from msgspec.structs import replace

from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.adaptive.strategy import Adaptive
from compactor_cli.strategies.shared.recent import Shape, plan_recent

_HEADINGS = 600
"""Tokens of room of which headings would take more than a tenth."""


def plan_in_any_room(given: PlanInput, shape: Shape) -> Plan:
    """The plan of such a strategy; in a small room that of `adaptive`, which says so. A model that writes the summaries
    needs no more headings than its text is worth. Raises BudgetError when nothing valid fits."""
    if given.target is None or given.profile is None or given.settings.summarizer == "llm":
        return plan_recent(given, shape)
    room = given.target - sum(message.tokens for message in given.messages if message.role == "system")
    if room >= _HEADINGS:
        return plan_recent(given, shape)
    plan = Adaptive().plan(given)
    note = f"{shape.name}: {max(0, room):,} tokens are too few for a summary with headings; adaptive chose what stays"
    return replace(plan, notes=(*plan.notes, note))
