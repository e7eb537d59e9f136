"""The plan, summaries and output of a compaction, one after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.features.topics import find_topics
from compactor_cli.formats.base import Format
from compactor_cli.memory.recall import Recalled, drop_earlier, link_recalled, recall_index
from compactor_cli.model.message import Role
from compactor_cli.model.plan import Plan
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.alternation import max_placeholders, placeholder_turn, plan_with_placeholders
from compactor_cli.pipeline.assemble import Inserted, Output, assemble
from compactor_cli.pipeline.earlier_marks import without_earlier_marks
from compactor_cli.pipeline.make_plan import make_plan, plan_with_memories, without_memories
from compactor_cli.pipeline.one_compaction import OneCompaction
from compactor_cli.pipeline.write_summaries import Summary, write_summaries
from compactor_cli.settings import Settings
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summary_text.headers import Base, writer_of


class RunPlan(NamedTuple):
    """A plan, the memories that it leaves tokens for, and the tokens reserved for turns between turns of the same
    role."""

    recall: Recalled
    plan: Plan
    placeholder_tokens: int = 0


class AssembledRun(NamedTuple):
    """An output, and what it was made from."""

    plan: Plan
    summaries: tuple[Summary, ...]
    recall: Recalled
    output: Output
    inserted: Inserted | None


def plan_run(run: OneCompaction, analysis: Analysis, recall: Recalled | None = None, *, repeat: bool = True) -> RunPlan:
    """Return the plan with as many memories as fit, or with those given. `repeat`: whether summaries may repeat
    requests. Raises BudgetError if nothing valid fits the target."""

    def plan(target: int | None) -> RunPlan:
        if recall is None:
            return RunPlan(*plan_with_memories(run, analysis, target))
        remaining = without_memories(target, recall)
        return RunPlan(recall, make_plan(analysis, run.tools, run.settings, remaining, repeat=repeat))

    if not run.tools.format.alternates:
        return plan(run.target)
    placeholder_tokens = placeholder_turn("user", run.tools.counter).tokens

    def turn_tokens(planned: RunPlan) -> int:
        inserted = planned.recall.message is not None
        placeholders = max_placeholders(analysis.transcript.messages, analysis.groups, planned.plan, inserted=inserted)
        return placeholders * placeholder_tokens

    planned, reserved = plan_with_placeholders(plan, turn_tokens, run.target)
    return planned._replace(placeholder_tokens=reserved)


def summarize(run: OneCompaction, analysis: Analysis, planned: RunPlan) -> tuple[Plan, tuple[Summary, ...]]:
    """Write the summaries that a plan asks for. The returned plan marks those that did not fit."""

    role = _summary_role(run.tools.format, run.settings)

    def write_for(planned: RunPlan) -> tuple[Plan, tuple[Summary, ...]]:
        target = planned.plan.target if planned.plan.target is not None else analysis.transcript.tokens
        base = Base(run.base.tokens, target + planned.recall.tokens + planned.placeholder_tokens)
        return write_summaries(analysis, planned.plan, run.tools, role, run.settings.query, base)

    result = write_for(planned)
    if any(slot.quotes for slot in planned.plan.slots if all(summary.slot is not slot for summary in result[1])):
        # a request must not be lost with the summary that was to repeat it
        planned = plan_run(run, analysis, planned.recall, repeat=False)
        result = write_for(planned)
    may_write = run.settings.summarizer == "llm" and run.tools.strategy.writes
    if may_write and not any_by_model(result[1]):
        return _summarize_offline(run, analysis, planned.recall)
    return result


def _summarize_offline(run: OneCompaction, analysis: Analysis, recall: Recalled) -> tuple[Plan, tuple[Summary, ...]]:
    """Write the summaries offline if the model wrote none, by a new plan that reserves nothing for it."""
    tools = replace(run.tools, summarizer=Extractive(), topics=find_topics)
    run = replace(run, tools=tools, settings=dataclasses.replace(run.settings, summarizer="extractive"))
    return summarize(run, analysis, plan_run(run, analysis, recall))


def assemble_run(
    run: OneCompaction, analysis: Analysis, plan: Plan, summaries: tuple[Summary, ...], recall: Recalled
) -> AssembledRun:
    """Return the output, and what it was made from."""
    repaired, inserted = analysis.transcript, None
    plan = without_earlier_marks(analysis, plan)
    if run.memories:
        plan = drop_earlier(plan, run.transcript, repaired, analysis.groups)
    if recall.message is not None:
        inserted = Inserted(recall.message, recall_index(repaired))
        repaired = link_recalled(repaired, inserted.before, run.tools.format)
    make_turn = partial(placeholder_turn, counter=run.tools.counter) if run.tools.format.alternates else None
    output = assemble(
        repaired,
        analysis.groups,
        plan,
        summaries,
        run.tools.format,
        inserted,
        drop_outside=run.drops_outside,
        make_turn=make_turn,
    )
    return AssembledRun(plan, summaries, recall, output, inserted)


def any_by_model(summaries: Sequence[Summary]) -> bool:
    """Return whether a model wrote any of the summaries."""
    return any(writer_of(summary.message.text("text")) for summary in summaries)


def _summary_role(format: Format, settings: Settings) -> Role:
    requested = settings.summary_role or format.summary_role
    for role in format.summary_roles:
        if role == requested:
            return role
    raise UsageError(f"--summary-role {requested!r}: {format.name} allows {', '.join(format.summary_roles)}")
