"""Strategies whose summaries have headings: in a room too small for headings, `adaptive` makes the plan instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from compactor_cli.errors import BudgetError
from compactor_cli.model.message import system_tokens
from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.adaptive.strategy import Adaptive, plan_alone
from compactor_cli.strategies.shared.recent import Shape, plan_recent

_HEADINGS, _SEVEN_HEADINGS = 600, 1_500
"""Rooms, in tokens, below which headings would take more than a tenth: a few headings, and seven."""


def plan_in_any_room(inputs: PlanInput, shape: Shape) -> Plan:
    """Return the plan of such a strategy, or in a small room that of `adaptive`, with a note that says so.

    A model that writes the summary uses no more headings than its text needs, so with one, `adaptive` is used only if
    nothing else fits. Raises BudgetError when nothing valid fits."""
    headed = partial(plan_recent, inputs, shape)
    if inputs.target is None or inputs.profile is None:
        return headed()
    room = max(0, inputs.target - system_tokens(inputs.messages))
    reason = f"{shape.name}: {room:,} tokens besides system messages are too few for a summary with headings"
    bare = partial(_without_headings, inputs, shape, reason)
    few = _HEADINGS if shape.recent else _SEVEN_HEADINGS
    small = room < few and inputs.settings.summarizer != "llm"
    return _either(bare, headed) if small else _either(headed, bare)


def _without_headings(inputs: PlanInput, shape: Shape, reason: str) -> Plan:
    plan = Adaptive().plan(inputs) if shape.recent else plan_alone(inputs)
    return replace(plan, notes=(*plan.notes, f"{reason}; adaptive chose what stays"))


def _either(first: Callable[[], Plan], second: Callable[[], Plan]) -> Plan:
    """Return the first plan, or the second if the first does not fit. If neither fits, raise the BudgetError that asks
    for fewer tokens."""
    try:
        return first()
    except BudgetError as error:
        try:
            return second()
        except BudgetError as other:
            raise min(error, other, key=lambda e: e.floor) from None
