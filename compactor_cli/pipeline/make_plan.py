"""Make the plan for an analyzed transcript: the strategy's input, and as many memories as fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from compactor_cli.errors import BudgetError, UsageError
from compactor_cli.memory.recall import Recalled, recall_choices
from compactor_cli.model.budget import TIERS, Budget, FixedParts
from compactor_cli.model.plan import Plan, keep_all
from compactor_cli.model.planning import PlanInput
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.one_compaction import OneCompaction, Tools, is_within_target
from compactor_cli.pipeline.protect import protect
from compactor_cli.pipeline.share_budget import NEWEST_FIRST_SHARES, TIER_SHARES, allocate
from compactor_cli.settings import Settings


def make_plan(analysis: Analysis, tools: Tools, settings: Settings, target: int | None, *, repeat: bool = True) -> Plan:
    """Return the plan for an analyzed transcript. `repeat`: whether summaries may repeat requests."""
    messages, groups = analysis.transcript.messages, analysis.groups
    protected = _protected(analysis, settings)
    inputs = PlanInput(
        messages=messages,
        groups=groups,
        pairing=analysis.pairing,
        rate=analysis.rate,
        protected=protected,
        target=target,
        allocate=partial(_allocate, target or 0, analysis, protected, settings),
        settings=settings,
        count=tools.counter.count,
        profile=tools.profile,
        topics=tools.topics,
        folder=analysis.transcript.folder,
        original_tokens=analysis.original_tokens,
        repeat=repeat,
        explain_values=tools.explain_values,
    )
    return tools.strategy.plan(inputs)


def _protected(analysis: Analysis, settings: Settings) -> dict[int, str]:
    """Return group -> the reason why it is kept."""
    return protect(
        analysis.transcript.messages,
        analysis.groups,
        keep=compile_patterns(settings.keep),
        keep_last=settings.keep_last,
        kept_by_decision=analysis.kept,
    )


def compile_patterns(patterns: Sequence[str]) -> list[re.Pattern[str]]:
    """Return the compiled --keep patterns. Raises UsageError for an invalid regular expression."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise UsageError(f"--keep {pattern!r} is not a regular expression: {error}") from None
    return compiled


def kept_tokens(analysis: Analysis, settings: Settings, *, without_summaries: bool = False) -> int:
    """Return the tokens of all groups that are kept whole as long as the target allows. Earlier summaries may be left
    out, because this round's summary replaces them."""
    protected, messages = _protected(analysis, settings), analysis.transcript.messages
    return sum(
        group.tokens
        for group in analysis.groups
        if group.index in protected
        and not (without_summaries and any(messages[i].origin == "summary" for i in group.messages))
    )


def _allocate(
    target: int, analysis: Analysis, reasons: dict[int, str], settings: Settings, protected: int, residuals: int
) -> Budget:
    """Return the budget split as in seed 000, with the protected tokens as its fixed part."""
    needs = [0] * TIERS
    for group in analysis.groups:
        if group.index not in reasons and analysis.residuals.kept.isdisjoint(group.messages):
            needs[min(analysis.tiers_of(group), default=0)] += group.tokens
    return allocate(
        target,
        FixedParts(system_prompt=protected, current_message=0),
        residuals,
        needs=needs,
        safety_margin=0,
        residual_share=settings.scoring.max_residuals,
        shares=TIER_SHARES if settings.budget.enabled else NEWEST_FIRST_SHARES,
    )


def plan_with_memories(run: OneCompaction, analysis: Analysis, target: int | None) -> tuple[Recalled, Plan]:
    """Return as many memories as fit, and the plan for the rest of the target."""
    tools, settings, memory_tokens = run.tools, run.settings, None
    if run.memories and target is not None:
        # at most half of what may be cut
        memory_tokens = (target - kept_tokens(analysis, settings, without_summaries=True)) // 2
    for recall in recall_choices(run.memories, settings.memory, tools.counter, memory_tokens):
        remaining = without_memories(target, recall)
        if is_within_target(analysis.transcript, remaining, replace(run.base, target=run.base.target - recall.tokens)):
            return recall, keep_all(analysis.groups, "already within the target")
        try:
            return recall, make_plan(analysis, tools, settings, remaining)
        except BudgetError:
            if recall.message is None:
                raise
    raise AssertionError("the last choice recalls nothing")


def without_memories(target: int | None, recall: Recalled) -> int | None:
    """Return the target minus the tokens of the recalled memories."""
    return None if target is None else target - recall.tokens
