"""The pipeline: read -> repair -> score -> residuals -> tiers -> budget -> plan -> summarize -> assemble -> verify."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from compactor_cli.errors import BudgetError, UsageError
from compactor_cli.formats.base import Format
from compactor_cli.model.budget import TIERS, Budget, FixedParts
from compactor_cli.model.group import Fault
from compactor_cli.model.memories import Memory
from compactor_cli.model.message import CLOSING_ID, LEGACY_ID
from compactor_cli.model.pairing import Pairing, pair
from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.planning import PlanInput, Strategy, Summarizer
from compactor_cli.model.profile import Profile
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.assemble import Inserted, Output, assemble
from compactor_cli.pipeline.budget import NEWEST_FIRST, SHARES, allocate
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.protect import protect
from compactor_cli.pipeline.recall import (
    NO_GAIN,
    NO_ROOM,
    UNCHANGED,
    Recalled,
    choices,
    drop_earlier,
    linked,
    place_of,
    without_earlier,
)
from compactor_cli.pipeline.repair import ends_with_result, repair
from compactor_cli.pipeline.report import report, unchanged
from compactor_cli.pipeline.residuals import select_residuals
from compactor_cli.pipeline.stages import Stages, Topics
from compactor_cli.pipeline.summarize import Context, Summary, write_summaries
from compactor_cli.pipeline.tiers import assign_tiers
from compactor_cli.pipeline.verify import faults
from compactor_cli.scoring.base import Scorer
from compactor_cli.settings import Settings
from compactor_cli.signals.topics import find_topics
from compactor_cli.summarizers.extractive import Extractive
from compactor_cli.text.headers import Base, base_of, round_of, writer_of
from compactor_cli.tokens.base import TokenCounter

DAMAGE = ("cut_off_line", "damaged_line")
"""Notes on lines that were left out."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the pipeline works with; passed in, so that it touches neither files nor clocks nor models."""

    format: Format
    counter: TokenCounter
    scorer: Scorer
    strategy: Strategy
    summarizer: Summarizer
    profile: Profile | None = None
    clock: Callable[[], float] = lambda: 0.0
    topics: Topics = find_topics
    progress: Callable[[str], None] = lambda stage: None
    """Called when a stage of the pipeline is done."""
    on_stage: Callable[[str, str], None] = lambda stage, meaning: None
    """Called when one of STAGES begins."""


def analyze(
    transcript: Transcript,
    tools: Tools,
    settings: Settings,
    target: int | None = None,
    *,
    pairing: Pairing | None = None,
) -> Analysis:
    """Groups, scores, residuals, tiers and faults of a transcript as it is."""
    pairing = pairing or pair(transcript.messages)
    groups = form_groups(transcript.messages, pairing)
    scoring = settings.scoring
    scores = tools.scorer.score(transcript, settings)
    share = scoring.max_residuals if scoring.residuals else 0
    residuals = select_residuals(
        transcript.messages, scores, threshold=scoring.threshold, max_share=share, total_tokens=target
    )
    borders = settings.tiers.borders if settings.tiers.enabled else (len(transcript.messages),) * 3
    tiers = assign_tiers(transcript.messages, groups, residuals.kept, borders)
    found = faults(transcript.messages, adjacent_results=tools.format.adjacent_results, pairing=pairing)
    return Analysis(transcript, groups, scores, residuals, tiers, found)


def compact(
    transcript: Transcript,
    tools: Tools,
    settings: Settings,
    *,
    closed: bool = False,
    recalled: Sequence[Memory] = (),
) -> Compaction:
    """Compact one transcript. Raises BudgetError when nothing valid fits the target.

    `closed`: a turn of the user is to follow, so calls in flight are answered too, and a tool result at
    the very end gets its assistant turn. `recalled`: memories to put into the output, the most relevant first,
    as many as the settings and the target allow.
    """
    stages = Stages(tools.clock, tools.progress, tools.on_stage)
    stages.begin("analyzing")
    result = _compact(transcript, tools, settings, stages, closed=closed, recalled=recalled)
    if recalled and not result.changed and not is_within(transcript, *resolve_target(transcript, settings)):
        # the memories took what was saved
        result = _compact(transcript, tools, settings, stages, closed=closed)
        result = _noting(result, NO_GAIN) if result.changed else result
    if recalled and not result.changed:
        result = _noting(result, UNCHANGED)
    stages.begin("complete")
    return result


def _noting(result: Compaction, warning: str) -> Compaction:
    return replace(result, warnings=(*result.warnings, warning))


def _compact(
    transcript: Transcript,
    tools: Tools,
    settings: Settings,
    stages: Stages,
    *,
    closed: bool,
    recalled: Sequence[Memory] = (),
) -> Compaction:
    target, base = resolve_target(transcript, settings)
    is_open = closed and _is_open(transcript)
    if is_within(transcript, target, base) and not damaged(transcript) and not is_open:
        return unchanged(transcript, target)
    pairing = pair(transcript.messages)
    mended, repairs = repair(
        transcript,
        pairing=pairing,
        adjacent_results=tools.format.adjacent_results,
        per_message=tools.counter.per_message,
        count=tools.counter.count,
        answer_last=closed,
        close=closed or tools.strategy.closes,
    )
    stages.done("repair")
    if recalled:
        mended = without_earlier(mended)
    analysis = analyze(mended, tools, settings, target, pairing=pairing if mended is transcript else None)
    stages.done("score")
    tools = replace(tools, topics=stages.clustering(tools.topics))
    try:
        recall, plan = _plan_with(recalled, analysis, tools, settings, target, base)
        stages.begin("extracting")
    except BudgetError as error:
        if damaged(transcript) or is_open or transcript.tokens >= error.floor:
            raise
        # repairs have added something: the input as it is is smaller than anything that can be made of it
        raise BudgetError(error.target, transcript.tokens, (("the input as it is", transcript.tokens),)) from None
    stages.done("plan")
    aimed = plan.target if plan.target is not None else mended.tokens
    summary_base = Base(base.tokens, aimed + recall.tokens)
    context = _context(tools, settings)
    stages.begin("summarizing")
    written = write_summaries(mended, analysis.groups, plan, context, summary_base)
    if any(slot.quotes for slot in plan.slots if all(summary.slot is not slot for summary in written[1])):
        # a request must not go with the summary that was to repeat it
        plan = make_plan(analysis, tools, settings, _less(target, recall), repeat=False)
        written = write_summaries(mended, analysis.groups, plan, context, summary_base)
    plan, summaries = written
    stages.done("summarize")
    stages.begin("persisting")
    inserted = None
    if recalled:
        plan = drop_earlier(plan, transcript, mended, analysis.groups)
    if recall.message is not None:
        inserted = Inserted(recall.message, place_of(mended))
        mended = linked(mended, inserted.before, tools.format)
    output = assemble(mended, analysis.groups, plan, summaries, tools.format, inserted)
    stages.done("assemble")
    worth = _is_worth_it(transcript, output, summary_needed=recall.message is not None)
    if target is None and not worth and not damaged(transcript) and not is_open:
        return unchanged(transcript, target)
    turned = any(message.id == CLOSING_ID for message in output.messages[-1:])
    repairs = tuple(note for note in repairs if turned or note.kind != "assistant_turn")
    before = faults(transcript.messages, adjacent_results=tools.format.adjacent_results, pairing=pairing)
    _verify(output, before, target, tools)
    stages.done("verify")
    result = report(transcript, analysis, plan, summaries, output, repairs, target, inserted)
    notes = (*plan.notes, NO_ROOM) if recalled and inserted is None else plan.notes
    return replace(
        result,
        stages=tuple(stages.seconds),
        summarizer=_writer(tools, summaries),
        warnings=notes,
        recalled=recall.count,
    )


def _plan_with(
    recalled: Sequence[Memory], analysis: Analysis, tools: Tools, settings: Settings, target: int | None, base: Base
) -> tuple[Recalled, Plan]:
    """As many memories as fit, and the plan for what they leave of the target."""
    tried = choices(recalled, settings.memory, tools.counter)
    if target is not None and len(tried) > 1:
        room = (target - _must_stay(analysis, settings)) // 2  # what must stay whole comes first, and then both alike
        tried = tuple(one for one in tried if one.tokens <= max(0, room))
    for recall in tried:
        aimed = _less(target, recall)
        if is_within(analysis.transcript, aimed, replace(base, target=base.target - recall.tokens)):
            return recall, _keep_all(analysis)
        try:
            return recall, make_plan(analysis, tools, settings, aimed)
        except BudgetError:
            if recall.message is None:
                raise
    raise AssertionError("the last choice recalls nothing")


def _must_stay(analysis: Analysis, settings: Settings) -> int:
    """Tokens of what is kept whole as long as the target allows."""
    reasons = protect(
        analysis.transcript.messages,
        analysis.groups,
        keep=compile_patterns(settings.keep),
        keep_last=settings.keep_last,
    ).reasons
    return sum(group.tokens for group in analysis.groups if group.index in reasons)


def _less(target: int | None, recall: Recalled) -> int | None:
    return None if target is None else target - recall.tokens


def _is_worth_it(transcript: Transcript, output: Output, *, summary_needed: bool) -> bool:
    """Without a target: whether it is smaller, and a later run can tell that it is done. `summary_needed`: it has
    to be a summary that tells, for there is something that a later run would cut."""
    summaries = [m.text("text") for m in output.messages if m.origin == "summary"]
    tells = (not summaries and not summary_needed) or any(base_of(text) is not None for text in summaries)
    return tells and sum(m.tokens for m in output.messages) < transcript.tokens


def _writer(tools: Tools, summaries: Sequence[Summary]) -> str:
    """The summarizer, or the offline one when it wrote all of them in its place."""
    by_model = any(writer_of(summary.message.text("text")) for summary in summaries)
    return tools.summarizer.name if by_model or not summaries else Extractive.name


def compact_source(
    source: Source,
    tools: Sequence[Tools],
    settings: Settings,
    *,
    closed: bool = False,
    recalled: Sequence[Memory] = (),
) -> tuple[bytes, list[Compaction]]:
    """Compact every conversation of a file on its own, and join them as they were."""
    parts = [
        compact(t, own, settings, closed=closed, recalled=recalled)
        for t, own in zip(source.transcripts, tools, strict=True)
    ]
    if not any(part.changed for part in parts) and not any(note.kind in DAMAGE for note in source.notes):
        return source.data, parts
    pieces = [source.joints[0]]
    for part, joint in zip(parts, source.joints[1:], strict=True):
        pieces += [part.data, joint]
    return b"".join(pieces), parts


def resolve_target(transcript: Transcript, settings: Settings) -> tuple[int | None, Base]:
    """The token target, and the size that ratios refer to.

    A ratio is of everything the transcript ever said: what an earlier round started from, and what
    has come since. So the same ratio given again finds nothing to do.
    """
    tokens = transcript.tokens
    summaries = [m.text("text") for m in transcript.messages if m.origin == "summary"]
    bases = [(round_of(text), base) for text in summaries if (base := base_of(text))]
    known = max(bases, key=lambda found: found[0])[1] if bases else None
    base = Base(tokens, tokens)
    if known is not None:
        base = Base(known.tokens + max(0, tokens - known.target), known.target)
    if settings.target_ratio is not None:
        return int(settings.target_ratio * base.tokens), base
    if settings.target_tokens is not None:
        return settings.target_tokens, base
    return None, base if known is not None else Base(tokens, 0)


def is_within(transcript: Transcript, target: int | None, base: Base) -> bool:
    """Whether there is nothing to do: within the target, or within what an earlier round aimed at."""
    return transcript.tokens <= (target if target is not None else base.target)


def damaged(transcript: Transcript) -> bool:
    """Whether something of the input had to be left out, so that its bytes cannot simply be passed on."""
    return any(note.kind in DAMAGE for note in transcript.notes)


def _is_open(transcript: Transcript) -> bool:
    """Whether a turn of the user must not simply follow."""
    return ends_with_result(transcript.messages) or bool(pair(transcript.messages).unanswered)


def _keep_all(analysis: Analysis) -> Plan:
    decisions = tuple(Decision(g.index, "whole", g.tokens, "already within the target") for g in analysis.groups)
    return Plan("none", None, decisions)


def make_plan(analysis: Analysis, tools: Tools, settings: Settings, target: int | None, *, repeat: bool = True) -> Plan:
    """The plan for a transcript that has been repaired and analyzed. `repeat`: summaries may repeat requests."""
    messages, groups = analysis.transcript.messages, analysis.groups
    protection = protect(messages, groups, keep=compile_patterns(settings.keep), keep_last=settings.keep_last)
    given = PlanInput(
        messages=messages,
        groups=groups,
        scores=analysis.scores,
        residuals=analysis.residuals,
        tiers=analysis.tiers,
        protected=protection.reasons,
        target=target,
        allocate=partial(_allocate, target or 0, _needs(analysis, protection.reasons), settings),
        settings=settings,
        count=tools.counter.count,
        per_image=tools.counter.per_image,
        profile=tools.profile,
        topics=tools.topics,
        repeat=repeat,
    )
    return tools.strategy.plan(given)


def compile_patterns(patterns: Sequence[str]) -> list[re.Pattern[str]]:
    """The --keep patterns. Raises UsageError for one that is no regular expression."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise UsageError(f"--keep {pattern!r} is not a regular expression: {error}") from None
    return compiled


def _needs(analysis: Analysis, protected: dict[int, str]) -> tuple[int, ...]:
    """Tokens that each tier would take up whole."""
    needs = [0] * TIERS
    for group in analysis.groups:
        residual = any(i in analysis.residuals.kept for i in group.messages)
        if group.index not in protected and not residual:
            tiers = [t for i in group.messages if (t := analysis.tiers[i]) is not None]
            needs[min(tiers, default=0)] += group.tokens
    return tuple(needs)


def _allocate(target: int, needs: Sequence[int], settings: Settings, protected: int, residuals: int) -> Budget:
    """Seed 000's budget, with what is protected as its fixed part."""
    return allocate(
        target,
        FixedParts(system_prompt=protected, current_message=0),
        residuals,
        needs=needs,
        safety_margin=0,
        residual_share=settings.scoring.max_residuals,
        shares=SHARES if settings.budget.enabled else NEWEST_FIRST,
    )


def _context(tools: Tools, settings: Settings) -> Context:
    wanted = settings.summary_role or tools.format.summary_role
    role = next((known for known in tools.format.summary_roles if known == wanted), None)
    if role is None:
        allowed = ", ".join(tools.format.summary_roles)
        raise UsageError(f"--summary-role {wanted!r}: {tools.format.name} allows {allowed}")
    return Context(tools.summarizer, tools.counter.count, tools.counter.per_message, role, settings.query)


def _verify(output: Output, before: Sequence[Fault], target: int | None, tools: Tools) -> None:
    """What every output must hold. A violation is a bug of this program, never written to a file."""
    after = faults(output.messages, adjacent_results=tools.format.adjacent_results)
    new = {_kind(f) for f in after} - {_kind(f) for f in before}
    if new:
        raise AssertionError(f"the output has faults that the input did not have: {sorted(new)}")
    tokens = sum(m.tokens for m in output.messages)
    if target is not None and tokens > target:
        raise AssertionError(f"the output has {tokens} tokens, the target is {target}")


def _kind(fault: Fault) -> tuple[str, str]:
    # ids given by a reader count from the start, so they differ once something is removed
    return fault.kind, "" if fault.call_id.startswith(LEGACY_ID) else fault.call_id
