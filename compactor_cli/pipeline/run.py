"""The pipeline: read -> repair -> score -> residuals -> tiers -> budget -> plan -> summarize -> assemble -> verify."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from compactor_cli.errors import BudgetError, CompactorError
from compactor_cli.memory.recall import (
    NO_GAIN,
    NO_ROOM,
    TOO_LONG,
    UNCHANGED,
    recall_choices,
    without_earlier,
)
from compactor_cli.model.content import Content
from compactor_cli.model.decisions import UNDECIDED, Decided, Dropped
from compactor_cli.model.group import Fault
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import CLOSING_ID, LEGACY_ID
from compactor_cli.model.pairing import pair_calls
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.transcript import Note, Source, Transcript
from compactor_cli.pipeline.analysis import analyze
from compactor_cli.pipeline.assemble import Output
from compactor_cli.pipeline.decide import check_beginning, check_numbers, kept_indices, without_dropped
from compactor_cli.pipeline.earlier_marks import without_marks
from compactor_cli.pipeline.make_output import AssembledRun, assemble_run, plan_run, summarize, with_stated_base
from compactor_cli.pipeline.make_report import make_report, unchanged_report
from compactor_cli.pipeline.one_compaction import (
    COMPLETE,
    DAMAGE_KINDS,
    OneCompaction,
    Stages,
    Tools,
    is_within_target,
    resolve_target,
)
from compactor_cli.pipeline.repair import repair
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import base_of


def compact(
    transcript: Transcript,
    tools: Tools,
    settings: Settings,
    *,
    closed: bool = False,
    recalled: Sequence[Memory] = (),
    decided: Decided = UNDECIDED,
) -> Compaction:
    """Compact one transcript. Raises BudgetError if nothing valid fits the target. `closed`: a user turn will follow,
    so calls in flight are answered, too, and a tool result at the very end is followed by an assistant turn.
    `recalled`: memories to insert into the output, most relevant first, as many as the settings and the target allow.
    `decided`: messages that stay verbatim, and messages to remove. Raises UsageError for decisions that cannot be
    carried out."""
    stages = Stages(tools.clock, tools.progress, tools.on_stage)
    stages.announce("analyzing")
    target, base = resolve_target(transcript, settings)
    pairing = pair_calls(transcript.messages)
    if not recalled and not is_within_target(transcript, target, base):
        recalled = tools.recall(transcript)
    run = OneCompaction(transcript, tools, settings, stages, target, base, pairing, closed, recalled, decided)
    try:
        check_numbers(decided, len(transcript.messages))
        result = _compact_with_retry(run)
        if result.changed and tools.remember is not None and tools.persist is not None:
            stages.announce("persisting")
            tools.persist(result.memories)
            stages.finish("persist")
    except CompactorError:
        stages.fail()
        raise
    stages.announce(COMPLETE)
    return result


def _compact_with_retry(run: OneCompaction) -> Compaction:
    """Compact; repeat without the recalled memories if these used up what was saved."""
    recalled, transcript = run.memories, run.transcript
    result = _compact(run)
    if recalled and not result.changed and not is_within_target(transcript, run.target, run.base):
        result = _compact(replace(run, memories=()))
        result = _add_warning(result, NO_GAIN) if result.changed else result
    if recalled and not result.changed:
        result = _add_warning(result, UNCHANGED)
    return result


def _add_warning(result: Compaction, warning: str) -> Compaction:
    return replace(result, warnings=(*result.warnings, warning))


def _compact(run: OneCompaction) -> Compaction:
    transcript, stages = run.transcript, run.stages
    if is_within_target(transcript, run.target, run.base) and not run.must_change:
        return unchanged_report(transcript, run.target)
    analysis, repairs = _prepare(run)
    try:
        tools = replace(run.tools, topics=stages.clustering(run.tools.topics))
        run = replace(run, tools=tools)
        planned = plan_run(run, analysis)
        if run.memories and planned.recall.message is None:
            return _without_memories(run)
    except BudgetError as error:
        if run.must_change or transcript.tokens >= error.floor:
            raise
        # repairs have added tokens: the unrepaired input is smaller than any possible output
        raise BudgetError(error.target, transcript.tokens, (("the input as it is", transcript.tokens),)) from None
    stages.finish("plan")
    memories = _extract_memories(run)
    stages.announce("summarizing")
    plan, summaries = summarize(run, analysis, planned)
    stages.finish("summarize")
    assembled = with_stated_base(run, analysis, assemble_run(run, analysis, plan, summaries, planned.recall))
    output = assembled.output
    stages.finish("assemble")
    if run.target is None and not run.must_change and not _is_worthwhile(transcript, assembled):
        return unchanged_report(transcript, run.target)
    has_closing_turn = any(message.id == CLOSING_ID for message in output.messages[-1:])
    repairs = tuple(note for note in repairs if has_closing_turn or note.kind != "assistant_turn")
    _verify(run, output)
    if analysis.dropped:
        check_beginning(transcript.messages, output.messages)
    stages.finish("verify")
    return make_report(run, analysis, assembled, repairs, memories)


def _extract_memories(run: OneCompaction) -> tuple[Memory, ...]:
    """Return what is worth remembering, extracted before anything is summarized."""
    if run.tools.remember is None:
        return ()
    run.stages.announce("extracting")
    memories = tuple(run.tools.remember(without_marks(run.transcript, run.tools.counter.count)[0]))
    run.stages.finish("extract")
    return memories


def _without_memories(run: OneCompaction) -> Compaction:
    """Compact without recalled memories, so that those of an earlier round are not removed for nothing."""
    some_fit = len(recall_choices(run.memories, run.settings.memory, run.tools.counter)) > 1
    result = _compact(replace(run, memories=()))
    return _add_warning(result, NO_ROOM if some_fit else TOO_LONG) if result.changed else result


def _prepare(run: OneCompaction) -> tuple[Analysis, tuple[Note, ...]]:
    """Return the analysis of the repaired transcript, and notes on the repairs."""
    transcript, tools = run.transcript, run.tools
    run_repair = partial(
        repair,
        adjacent_results=tools.format.adjacent_results,
        alternates=tools.format.alternates,
        per_message=tools.counter.per_message,
        count=tools.counter.count,
        answer_last=run.closes_history,
    )
    closes_history = run.closes_history or tools.strategy.closes
    dropped: tuple[Dropped, ...] = ()
    if run.decisions.drop:
        repaired, repairs = run_repair(transcript, pairing=run.pairing)
        repaired, dropped = without_dropped(repaired, run.decisions)
        repaired, closing_repairs = run_repair(repaired, close=closes_history)
        repairs = (*repairs, *closing_repairs)
    else:
        repaired, repairs = run_repair(transcript, pairing=run.pairing, close=closes_history)
    run.stages.finish("repair")
    if run.memories:
        repaired = without_earlier(repaired)
    pairing = run.pairing if repaired is transcript else None
    repaired, unmarked = without_marks(repaired, tools.counter.count)
    analysis = analyze(repaired, tools, run.settings, run.target, pairing=pairing)
    kept = kept_indices(repaired.messages, run.decisions)
    analysis = replace(analysis, kept=kept, dropped=dropped, unmarked_parts=unmarked, original_tokens=run.base.tokens)
    run.stages.finish("score")
    return analysis, repairs


def _is_worthwhile(transcript: Transcript, assembled: AssembledRun) -> bool:
    """Return, without a target, whether the output is smaller and tells a later run that it is compacted."""
    summaries = [m.text("text") for m in assembled.output.messages if m.origin == "summary"]
    all_whole = all(decision.rendition == "whole" for decision in assembled.plan.decisions)
    needs_no_summary = all_whole and assembled.recall.message is None
    states_base = (not summaries and needs_no_summary) or any(base_of(text) is not None for text in summaries)
    return states_base and assembled.output.tokens < transcript.tokens


def compact_source(
    source: Source,
    tools: Sequence[Tools],
    settings: Settings,
    *,
    closed: bool = False,
    recalled: Sequence[Memory] = (),
    decided: Sequence[Decided] = (),
) -> tuple[Content, list[Compaction]]:
    """Compact every conversation of a file separately, and join them as they were. `decided`: decisions on each
    conversation; empty for none. Raises BudgetError with the smallest size that all conversations can reach. If a
    model is asked, it is the size of the first conversation that does not fit, as the error says."""
    parts: list[Compaction] = []
    errors: dict[int, BudgetError] = {}
    decisions = decided or [UNDECIDED] * len(source.transcripts)
    conversations = list(zip(source.transcripts, tools, decisions, strict=True))

    def make(number: int, target_settings: Settings, *, is_trial: bool) -> Compaction:
        transcript, own_tools, decision = conversations[number]
        its_tools = replace(own_tools, remember=None) if is_trial else own_tools  # this run only checks whether it fits
        return compact(transcript, its_tools, target_settings, closed=closed, recalled=recalled, decided=decision)

    for number in range(len(conversations)):
        try:
            parts.append(make(number, settings, is_trial=bool(errors)))
        except BudgetError as error:
            errors[number] = error
            if settings.asks:
                break
    if errors:
        raise _budget_error(errors, [t.tokens for t in source.transcripts], settings, partial(make, is_trial=True))
    if not any(part.changed for part in parts) and not any(note.kind in DAMAGE_KINDS for note in source.notes):
        return source.data, parts
    pieces = [source.joints[0]]
    for part, joint in zip(parts, source.joints[1:], strict=True):
        pieces += [part.data, joint]
    return b"".join(filter(None, pieces)), parts  # a single piece is not copied


def _budget_error(
    errors: Mapping[int, BudgetError], sizes: Sequence[int], settings: Settings, make: Callable[[int, Settings], object]
) -> BudgetError:
    """Return the error of the conversation that needs the largest size, with a size that all conversations can
    reach. `errors`: conversation -> its error. `sizes`: tokens of each conversation. `make`: compacts one of them. If
    a model is asked, no other conversations were tried, and the error says so."""
    number = max(errors, key=lambda each: errors[each].floor)
    if len(sizes) == 1:
        return errors[number]
    range_text = f"of 0 to {len(sizes) - 1}"
    if settings.asks:
        return errors[number].of(f"conversation {number} ({range_text}; whether the others fit was not looked at)")
    sufficient = errors[number].floor
    if settings.target_ratio is not None:  # each has its own target; conversations that met theirs may need more
        target_settings = dataclasses.replace(settings, target_ratio=None, target_tokens=sufficient)
        for other in (each for each, tokens in enumerate(sizes) if each not in errors and tokens > sufficient):
            try:
                make(other, target_settings)
            except BudgetError as error:
                sufficient = max(sufficient, error.floor)
    return errors[number].of(f"conversation {number} ({range_text})", sufficient)


def _verify(run: OneCompaction, output: Output) -> None:
    """Check the invariants of every output. A violation is a bug of this program, so nothing is written."""
    output_format = run.tools.format
    find = partial(faults, adjacent_results=output_format.adjacent_results, alternates=output_format.alternates)
    new = {_kind(f) for f in find(output.messages)}
    if new:  # faults that the input had as well are not bugs
        new -= {_kind(f) for f in find(run.transcript.messages, pairing=run.pairing)}
    if new:
        raise AssertionError(f"the output has faults that the input did not have: {sorted(new)}")
    if run.target is not None and output.tokens > run.target:
        raise AssertionError(f"the output has {output.tokens} tokens, the target is {run.target}")


def _kind(fault: Fault) -> tuple[str, str]:
    # a reader numbers missing ids from the start, so they change when something is removed
    return fault.kind, "" if fault.call_id.startswith(LEGACY_ID) else fault.call_id
