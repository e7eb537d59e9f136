"""The plan, summaries and output of a compaction, one after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.features.topics import find_topics
from compactor_cli.memory.recall import Recalled, drop_earlier, linked, place_of
from compactor_cli.model.plan import Plan
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.alternation import most_between, nothing_said, with_room
from compactor_cli.pipeline.assemble import Inserted, Output, assemble
from compactor_cli.pipeline.earlier_marks import without_earlier_marks
from compactor_cli.pipeline.make_plan import less, make_plan, plan_with_memories
from compactor_cli.pipeline.one_compaction import OneCompaction
from compactor_cli.pipeline.tools import Tools
from compactor_cli.pipeline.write_summaries import Summary, SummaryContext, write_summaries
from compactor_cli.settings import Settings
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summary_text.headers import Base, writer_of


class Planned(NamedTuple):
    """A plan, the memories that it leaves tokens for, and the tokens reserved for turns between turns of the same
    role."""

    recall: Recalled
    plan: Plan
    between: int = 0


class Made(NamedTuple):
    """An output, and what it was made from."""

    plan: Plan
    summaries: tuple[Summary, ...]
    recall: Recalled
    output: Output
    inserted: Inserted | None
    """The message of the recalled memories, with its position."""


def plan_run(run: OneCompaction, analysis: Analysis) -> Planned:
    """Return the plan with as many memories as fit. Raises BudgetError if nothing valid fits the target."""

    def plan(target: int | None) -> Planned:
        return Planned(*plan_with_memories(run, analysis, target))

    return _leaving_room(run, analysis, plan)


def _planned_again(run: OneCompaction, analysis: Analysis, recall: Recalled, *, repeat: bool = True) -> Planned:
    """Return a new plan with the same memories, for a run with other tools, or without requests repeated in
    summaries."""

    def plan(target: int | None) -> Planned:
        return Planned(recall, make_plan(analysis, run.tools, run.settings, less(target, recall), repeat=repeat))

    return _leaving_room(run, analysis, plan)


def _leaving_room(run: OneCompaction, analysis: Analysis, plan: Callable[[int | None], Planned]) -> Planned:
    if not run.tools.format.alternates:
        return plan(run.target)
    said = nothing_said("user", run.tools.counter).tokens

    def needs(planned: Planned) -> int:
        inserted = planned.recall.message is not None
        count = most_between(analysis.transcript.messages, analysis.groups, planned.plan, inserted=inserted)
        return count * said

    planned, room = with_room(plan, needs, run.target)
    return planned._replace(between=room)


def summarize(run: OneCompaction, analysis: Analysis, planned: Planned) -> tuple[Plan, tuple[Summary, ...]]:
    """Write the summaries that a plan asks for. The returned plan marks those that did not fit."""

    def written_for(planned: Planned) -> tuple[Plan, tuple[Summary, ...]]:
        aimed = planned.plan.target if planned.plan.target is not None else analysis.transcript.tokens
        base = Base(run.base.tokens, aimed + planned.recall.tokens + planned.between)
        return write_summaries(analysis, planned.plan, _context(run.tools, run.settings), base)

    written = written_for(planned)
    if any(slot.quotes for slot in planned.plan.slots if all(summary.slot is not slot for summary in written[1])):
        # a request must not be lost with the summary that was to repeat it
        planned = _planned_again(run, analysis, planned.recall, repeat=False)
        written = written_for(planned)
    may_write = run.settings.summarizer == "llm" and run.tools.strategy.writes
    if may_write and not by_model(written[1]):
        return _summarize_offline(run, analysis, planned.recall)
    return written


def _summarize_offline(run: OneCompaction, analysis: Analysis, recall: Recalled) -> tuple[Plan, tuple[Summary, ...]]:
    """Write the summaries offline if the model wrote none. The plan is made anew, so that the tokens reserved for
    the model are not wasted."""
    tools = replace(run.tools, summarizer=Extractive(), topics=find_topics)
    run = replace(run, tools=tools, settings=dataclasses.replace(run.settings, summarizer="extractive"))
    return summarize(run, analysis, _planned_again(run, analysis, recall))


def assemble_run(
    run: OneCompaction, analysis: Analysis, plan: Plan, summaries: tuple[Summary, ...], recall: Recalled
) -> Made:
    """Return the output, and what it was made from."""
    repaired, inserted = analysis.transcript, None
    plan = without_earlier_marks(analysis, plan)
    if run.recalled:
        plan = drop_earlier(plan, run.transcript, repaired, analysis.groups)
    if recall.message is not None:
        inserted = Inserted(recall.message, place_of(repaired))
        repaired = linked(repaired, inserted.before, run.tools.format)
    between = partial(nothing_said, counter=run.tools.counter) if run.tools.format.alternates else None
    output = assemble(
        repaired,
        analysis.groups,
        plan,
        summaries,
        run.tools.format,
        inserted,
        drop_outside=run.drops_outside,
        between=between,
    )
    return Made(plan, summaries, recall, output, inserted)


def by_model(summaries: Sequence[Summary]) -> bool:
    """Return whether a model wrote any of the summaries."""
    return any(writer_of(summary.message.text("text")) for summary in summaries)


def _context(tools: Tools, settings: Settings) -> SummaryContext:
    wanted = settings.summary_role or tools.format.summary_role
    role = next((known for known in tools.format.summary_roles if known == wanted), None)
    if role is None:
        allowed = ", ".join(tools.format.summary_roles)
        raise UsageError(f"--summary-role {wanted!r}: {tools.format.name} allows {allowed}")
    return SummaryContext(tools.summarizer, tools.counter.count, tools.counter.per_message, role, settings.query)
