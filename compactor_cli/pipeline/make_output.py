"""The plan, summaries and output of a compaction, one after the other, and a mark in a message or at the end of a
system prompt that says how many tokens all rounds removed. The mark is needed if no summary says what the transcript
was compacted from: the next round with a ratio would take its input for the whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import NamedTuple

from msgspec.structs import replace

from compactor_cli.errors import BudgetError, UsageError
from compactor_cli.features.topics import find_topics
from compactor_cli.formats.base import Format
from compactor_cli.memory.recall import Recalled, drop_earlier, link_recalled, recall_index
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Message, Role, by_index
from compactor_cli.model.plan import Decision, Edit, Plan
from compactor_cli.model.report import Analysis
from compactor_cli.pipeline.alternation import max_placeholders, placeholder_turn, plan_with_placeholders
from compactor_cli.pipeline.assemble import Inserted, Output, assemble
from compactor_cli.pipeline.earlier_marks import without_earlier_marks
from compactor_cli.pipeline.make_plan import make_plan, plan_with_memories, without_memories
from compactor_cli.pipeline.one_compaction import OneCompaction, stated_base
from compactor_cli.pipeline.write_summaries import Summary, write_summaries
from compactor_cli.settings import Settings
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summary_text.excerpts import GAP
from compactor_cli.summary_text.headers import Base, left_out_mark, writer_of
from compactor_cli.text.shorten import is_shortened

_MIN_TARGET_TOKENS = 60
_MARK_TOKENS = 6


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


def with_stated_base(run: OneCompaction, analysis: Analysis, assembled: AssembledRun) -> AssembledRun:
    """Return an output that says what it was compacted from, if the next round needs to know. If a summary says so,
    the output is unchanged. Otherwise a message that was cut gets a mark. If no mark fits, the output is made again
    with fewer tokens. Messages that stay whole are not changed."""
    if not _is_needed(run, assembled) or _states_base(run, assembled):
        return assembled
    marked, missing_tokens = _add_mark(run, analysis, assembled)
    for reserved in dict.fromkeys((missing_tokens, _MARK_TOKENS)) if missing_tokens and not run.settings.asks else ():
        assert run.target is not None  # without a target, a mark always fits
        smaller = replace(run, target=run.target - reserved)
        try:
            planned = plan_run(smaller, analysis)
            # so that a summary names the whole target
            planned = planned._replace(placeholder_tokens=planned.placeholder_tokens + reserved)
            retried = assemble_run(run, analysis, *summarize(smaller, analysis, planned), planned.recall)
        except BudgetError:
            break
        marked = retried if _states_base(run, retried) else _add_mark(run, analysis, retried)[0]
        if marked is not None:
            break
    return marked or assembled


def _is_needed(run: OneCompaction, assembled: AssembledRun) -> bool:
    """Return whether the next round needs to know the original size. It does if the target is a ratio, or if an
    earlier round stated a size. It also does if a system prompt was cut: the prompt will be cut again, and the
    tokens that it leaves to the session depend on the original size."""
    if run.target is not None and run.target < _MIN_TARGET_TOKENS:
        return False
    if run.settings.target_ratio is not None or run.base.tokens > run.transcript.tokens:
        return True
    return run.target is not None and any(map(_is_cut_prompt, assembled.output.messages))


def _is_cut_prompt(message: Message) -> bool:
    return message.is_system_prompt and any(part.edited or is_shortened(part.text) for part in message.parts)


def _states_base(run: OneCompaction, assembled: AssembledRun) -> bool:
    if run.base.tokens <= run.transcript.tokens <= (run.target or 0):
        return True  # nothing had to be compacted
    tokens = assembled.output.tokens
    stated = stated_base(assembled.output.messages, tokens)
    return tokens >= run.base.tokens or (stated is not None and stated.tokens >= run.base.tokens)


def _add_mark(run: OneCompaction, analysis: Analysis, assembled: AssembledRun) -> tuple[AssembledRun | None, int]:
    """Return the output with a mark at a message; if none fits, None and the number of tokens missing."""
    output_tokens = assembled.output.tokens
    tokens_left = inf if run.target is None else run.target - output_tokens
    missing_tokens: list[int] = []
    for message in _rank_markable(analysis, assembled):
        part = message.parts[0]
        edit = _with_mark(message, run.base.tokens - output_tokens, run.tools.counter.count)
        if origin_of(edit.text) != origin_of(part.text):
            continue
        if edit.tokens - part.tokens <= tokens_left:
            plan = _add_edit(analysis, assembled.plan, edit)
            return assemble_run(run, analysis, plan, assembled.summaries, assembled.recall), 0
        missing_tokens.append(edit.tokens - part.tokens - int(tokens_left))
    return None, min(missing_tokens, default=0)


def _with_mark(message: Message, removed_tokens: int, count: Callable[[str], int]) -> Edit:
    """Return an edit that adds a mark to a message's first part. The mark counts its own tokens."""
    part, number, tried = message.parts[0], removed_tokens, set[int]()
    while number not in tried:  # a smaller number may take fewer tokens
        tried.add(number)
        text = left_out_mark(number, part.text, at_end=message.is_system_prompt)
        number = removed_tokens - count(text) + part.tokens
    number = max(number, removed_tokens - count(text) + part.tokens)
    text = left_out_mark(number, part.text, at_end=message.is_system_prompt)
    return Edit(message.index, 0, text, count(text))


def _rank_markable(analysis: Analysis, assembled: AssembledRun) -> list[Message]:
    """Return the messages that can have a mark: those that begin with a gap first, system prompts last."""
    input_messages = by_index(analysis.transcript.messages)
    shortened = [
        message
        for message in assembled.output.messages
        if _can_be_marked(message)
        and message.index not in analysis.kept
        and not input_messages[message.index].parts[0].edited
    ]
    return sorted(shortened, key=lambda m: (m.is_system_prompt, not m.parts[0].text.lstrip().startswith(GAP)))


def _can_be_marked(message: Message) -> bool:
    """Return whether a message begins with words of the session that were cut, or is a cut system prompt."""
    first = message.parts[0] if message.parts and message.index >= 0 else None
    if first is None or first.kind != "text" or first.place is None or not any(map(str.isalnum, first.text)):
        return False
    is_spoken = message.role in ("user", "assistant") and message.origin in ("request", "other")
    return (first.edited and is_spoken) or _is_cut_prompt(message)


def _add_edit(analysis: Analysis, plan: Plan, edit: Edit) -> Plan:
    """Return the plan with one more edit, which replaces an existing edit of the same text."""

    def edited(decision: Decision) -> Decision:
        if edit.message not in analysis.groups[decision.group].messages:
            return decision
        tokens_by_part = {(other.message, other.part): other.tokens for other in decision.edits}
        location = edit.message, edit.part
        old_tokens = tokens_by_part.get(location, analysis.transcript.messages[edit.message].parts[edit.part].tokens)
        others = [other for other in decision.edits if (other.message, other.part) != location]
        edits = tuple(sorted([*others, edit]))
        return decision._replace(edits=edits, tokens=decision.tokens - old_tokens + edit.tokens)

    return replace(plan, decisions=tuple(map(edited, plan.decisions)))
