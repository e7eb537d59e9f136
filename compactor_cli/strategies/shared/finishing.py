"""The last steps of every plan: use up what is left of the target, and put the decisions in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from compactor_cli.model.plan import Decision, Plan, SummarySlot
from compactor_cli.model.planning import CLOSING, PlanInput
from compactor_cli.strategies.shared.renditions import Renderer


def planned_tokens(decisions: Mapping[int, Decision], slots: Iterable[SummarySlot]) -> int:
    """Return the tokens that a plan spends: what it keeps, and the budgets of its summaries."""
    return sum(d.tokens for d in decisions.values()) + sum(slot.budget for slot in slots)


def make_plan(
    inputs: PlanInput,
    strategy: str,
    decisions: Mapping[int, Decision],
    slots: Sequence[SummarySlot],
    *,
    target: int | None = None,
    notes: tuple[str, ...] = (),
) -> Plan:
    """Return the plan made of these decisions. If the inputs have no target, the plan's target is `target` or else the
    tokens that the decisions take, so that a second run finds nothing to do."""
    implied_target = target if target is not None else planned_tokens(decisions, slots)
    cut = {i for d in decisions.values() if d.rendition != "whole" for i in inputs.groups[d.group].messages}
    return Plan(
        strategy=strategy,
        target=inputs.target if inputs.target is not None else implied_target,
        decisions=tuple(decisions[g.index] for g in inputs.groups),
        slots=tuple(slots),
        not_whole=frozenset(cut),
        notes=notes,
    )


def use_spare_tokens(
    inputs: PlanInput,
    renderer: Renderer,
    decisions: Mapping[int, Decision],
    slots: Iterable[SummarySlot],
    groups: Iterable[int],
) -> dict[int, Decision]:
    """Enlarge what was shortened in some `groups` with the tokens that the plan leaves of its target, the newest groups
    first. Return the changed decisions."""
    if inputs.target is None:
        return {}
    tokens_left = inputs.target - planned_tokens(decisions, slots)
    enlarged: dict[int, Decision] = {}
    for decision in (decisions[group] for group in sorted(groups, reverse=True)):
        if decision.rendition != "shortened" or tokens_left <= 0:
            continue
        fitted = renderer.fit(
            [inputs.groups[decision.group]], decision.tokens + tokens_left, decision.reason, prose=True
        )
        if fitted and fitted[0].tokens > decision.tokens:
            enlarged[decision.group] = fitted[0]
            tokens_left -= fitted[0].tokens - decision.tokens
    return enlarged


def drop_closing_turn(inputs: PlanInput, decisions: Mapping[int, Decision]) -> dict[int, Decision]:
    """Drop the assistant turn that closes a history if no tool result precedes it any more. Return that decision, or an
    empty dictionary."""
    last = inputs.groups[-1]
    if inputs.protected.get(last.index) != CLOSING:
        return {}
    last_messages = [g.messages[-1] for g in inputs.groups[:-1] if decisions[g.index].tokens]
    if last_messages and inputs.messages[max(last_messages)].results:
        return {}
    return {last.index: Decision.gone(last, "no tool result stands before it")}
