"""Strategies whose summaries have headings: in a room too small for headings, `adaptive` makes the plan instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from compactor_cli.errors import BudgetError
from compactor_cli.model.message import system_tokens
from compactor_cli.model.plan import Plan
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.recent import Shape, plan_recent

_MIN_HEADING_ROOM, _MIN_SEVEN_HEADINGS_ROOM = 600, 1_500
"""Rooms, in tokens, below which headings would take more than a tenth: a few headings, and seven."""


def plan_in_any_room(inputs: PlanInput, shape: Shape) -> Plan:
    """Return the plan of such a strategy, or in a small room that of `adaptive`, with a note that says so.

    A model that writes the summary uses no more headings than its text needs, so with one, `adaptive` is used only if
    nothing else fits. Raises BudgetError when nothing valid fits."""
    with_headings = partial(plan_recent, inputs, shape)
    if inputs.target is None or inputs.profile is None:
        return with_headings()
    room = max(0, inputs.target - system_tokens(inputs.messages))
    reason = f"{shape.name}: {room:,} tokens besides system messages are too few for a summary with headings"
    without = partial(_without_headings, inputs, shape, reason)
    min_room = _MIN_HEADING_ROOM if shape.has_recent else _MIN_SEVEN_HEADINGS_ROOM
    is_small = room < min_room and inputs.settings.summarizer != "llm"
    return _first_fit(without, with_headings) if is_small else _first_fit(with_headings, without)


def _without_headings(inputs: PlanInput, shape: Shape, reason: str) -> Plan:
    from compactor_cli.strategies.adaptive.strategy import plan_adaptive, plan_one_summary  # only small rooms need it

    plan = plan_adaptive(inputs) if shape.has_recent else plan_one_summary(inputs)
    return replace(plan, notes=(*plan.notes, f"{reason}; adaptive chose what stays"))


def _first_fit(first: Callable[[], Plan], second: Callable[[], Plan]) -> Plan:
    """Return the first plan, or the second if the first does not fit. If neither fits, raise the BudgetError that asks
    for fewer tokens."""
    try:
        return first()
    except BudgetError as error:
        try:
            return second()
        except BudgetError as other:
            raise min(error, other, key=lambda e: e.floor) from None
