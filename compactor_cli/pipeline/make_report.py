"""The report on a compaction, made from its plan and its output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, partial

from compactor_cli.model.budget import TIERS
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import Message, by_index
from compactor_cli.model.plan import Plan
from compactor_cli.model.report import Analysis, Compaction, Dispositions, Protected, Spent, TierLine, TierUse
from compactor_cli.model.transcript import Note, Transcript
from compactor_cli.pipeline.decide import not_kept
from compactor_cli.pipeline.earlier_marks import is_changed_beyond_mark
from compactor_cli.pipeline.make_output import AssembledRun, any_by_model
from compactor_cli.pipeline.make_plan import compile_patterns, kept_tokens
from compactor_cli.pipeline.one_compaction import OneCompaction
from compactor_cli.pipeline.repair import removal_warnings
from compactor_cli.pipeline.shortened import OutputComparison
from compactor_cli.pipeline.token_use import spent_by_use
from compactor_cli.pipeline.write_summaries import Summary, current_round
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summary_text.verbatim import turn


def original_bytes(transcript: Transcript) -> bytes:
    """Return the bytes of a transcript as they are in its file."""
    if transcript.layout.wrapper is not None:
        return b"".join(transcript.layout.wrapper)
    pieces: list[bytes] = []
    for piece in transcript.layout.pieces:
        if piece is None:
            body = [record for index, record in enumerate(transcript.records) if index not in transcript.layout.pieces]
            # records of a tree may be in another order than in the file
            if transcript.layout.names is not None:
                pieces.append(transcript.source[transcript.layout.names.start : transcript.layout.names.end])
                continue
            start, end = min((r.start for r in body), default=0), max((r.end for r in body), default=0)
            pieces.append(transcript.source[start:end])
        else:
            pieces.append(piece if isinstance(piece, bytes) else transcript.raw(piece))
    return b"".join(pieces)


def unchanged_report(transcript: Transcript, target: int | None) -> Compaction:
    """Return the report for an input that is written unchanged, byte for byte."""
    return Compaction(
        data=original_bytes(transcript),
        repaired=transcript,
        before=transcript,
        messages=transcript.messages,
        tokens=transcript.tokens,
        target=target,
        changed=False,
        round=current_round(transcript.messages) - 1,
        dispositions=Dispositions(kept=len(transcript.messages)),
        use_of_tokens=lambda: (Spent("unchanged", transcript.tokens),) if transcript.tokens else (),
        prefix_tokens_kept=transcript.tokens,
    )


def make_report(
    run: OneCompaction,
    analysis: Analysis,
    assembled: AssembledRun,
    repairs: tuple[Note, ...],
    memories: tuple[Memory, ...],
) -> Compaction:
    """Return the report of a compaction. `memories`: those that were extracted from the input."""
    plan, summaries, recall, output, inserted = assembled
    transcript, repaired, count = run.transcript, analysis.transcript, run.tools.counter.count
    rendition = {i: d.rendition for d in plan.decisions for i in analysis.groups[d.group].messages}
    outputs = by_index(output.messages)
    changed_indices = [m.index for m in repaired.messages if m.records and outputs.get(m.index) != m]
    if inserted is not None and inserted.before < len(repaired.messages):
        changed_indices.append(inserted.before)
    dropped = min((number for group in analysis.dropped for number in group.messages), default=None)
    if dropped is not None:
        changed_indices.append(next((m.index for m in repaired.messages if m.number > dropped), len(repaired.messages)))
    first_changed = min(changed_indices, default=None)
    prefix = repaired.messages[:first_changed] if first_changed is not None else repaired.messages
    return Compaction(
        data=output.data,
        repaired=repaired,
        groups=analysis.groups,
        before=transcript,
        messages=output.messages,
        tokens=output.tokens,
        target=run.target,
        changed=True,
        plan=plan,
        round=current_round(repaired.messages) if summaries else current_round(repaired.messages) - 1,
        dispositions=_dispositions(transcript, repaired.messages, rendition, outputs),
        use_of_tokens=cache(partial(spent_by_use, repaired.messages, analysis.groups, plan.decisions, output.messages)),
        repairs=repairs,
        removed=output.removed,
        outside=output.outside,
        first_changed_index=None if first_changed is None else _first_number(repaired.messages, first_changed, dropped),
        prefix_tokens_kept=sum(m.tokens for m in prefix),
        # the offline one if a model should have written summaries but wrote none
        summarizer=run.tools.summarizer.name if any_by_model(summaries) or not plan.slots else Extractive.name,
        warnings=_warnings(run, analysis, assembled, repairs),
        stages=tuple(run.stages.seconds),
        recalled=len(recall.memories),
        memories=memories,
        rate=analysis.rate,
        use_of_tiers=cache(partial(_use_of_tiers, analysis, plan, outputs, summaries, count)),
        kept=analysis.kept,
        dropped=analysis.dropped,
    )


def _warnings(
    run: OneCompaction, analysis: Analysis, assembled: AssembledRun, repairs: tuple[Note, ...]
) -> tuple[str, ...]:
    compared = OutputComparison(
        analysis.transcript.messages,
        assembled.output.messages,
        assembled.plan,
        compile_patterns(run.settings.keep),
        run.settings.keep_last,
        lambda: kept_tokens(analysis, run.settings) + assembled.recall.tokens,
        run.tools.counter.count,
    )
    return (
        *assembled.plan.notes,
        *removal_warnings(run.transcript.messages, repairs),
        *compared.warnings(),
        *not_kept(analysis.transcript.messages, run.decisions),
    )


def _use_of_tiers(
    analysis: Analysis,
    plan: Plan,
    outputs: dict[int, Message],
    summaries: Sequence[Summary],
    count: Callable[[str], int],
) -> TierUse:
    residuals = analysis.residuals.kept - plan.not_whole
    return TierUse(
        residuals,
        sum(outputs[i].tokens for i in residuals if i in outputs),
        _protected(analysis, plan, residuals, outputs),
        _tier_lines(analysis, plan, outputs, summaries, count),
    )


def _first_number(messages: Sequence[Message], index: int, dropped: int | None) -> int:
    """Return the number in the input of the message at an index, or that of a dropped one before it."""
    number = messages[index].number if index < len(messages) else messages[-1].number + 1
    return number if dropped is None else min(number, dropped)


def _dispositions(
    transcript: Transcript, repaired: Sequence[Message], rendition: Mapping[int, str], outputs: dict[int, Message]
) -> Dispositions:
    """Return the dispositions of the input's messages. A message removed by a repair counts as dropped."""
    counts = dict.fromkeys(("kept", "shortened", "summarized", "dropped"), 0)
    counted = 0
    for message in repaired:
        if not message.records:
            continue
        counted += 1
        if message.index in outputs:
            counts["shortened" if is_changed_beyond_mark(message, outputs[message.index]) else "kept"] += 1
        else:
            counts["summarized" if rendition.get(message.index) == "summarized" else "dropped"] += 1
    counts["dropped"] += len(transcript.messages) - counted
    return Dispositions(**counts)


def _protected(analysis: Analysis, plan: Plan, residuals: Set[int], outputs: Mapping[int, Message]) -> Protected:
    """Return the use of tokens by protected messages outside the tiers, without system messages."""
    messages = [analysis.transcript.messages[i] for i in sorted(plan.outside_tiers - residuals)]
    messages = [message for message in messages if message.role != "system"]
    after = sum(outputs[message.index].tokens for message in messages if message.index in outputs)
    return Protected(len(messages), sum(message.tokens for message in messages), after)


def _tier_lines(
    analysis: Analysis,
    plan: Plan,
    outputs: dict[int, Message],
    summaries: Sequence[Summary],
    count: Callable[[str], int],
) -> tuple[TierLine, ...]:
    messages, before, after = [0] * TIERS, [0] * TIERS, [0] * TIERS
    for message in analysis.transcript.messages:
        tier = analysis.tiers[message.index]
        if tier is None or message.index in plan.outside_tiers:
            continue
        messages[tier] += 1
        before[tier] += message.tokens
        after[tier] += outputs[message.index].tokens if message.index in outputs else 0
    for summary in summaries:
        # repeated messages count for the tier they come from, or for none; the rest is split by size
        repeated = [(q.message, count(turn(q.label, q.text))) for q in summary.slot.quotes if q.message is not None]
        tokens_left = max(0, summary.message.tokens - sum(tokens for _, tokens in repeated))
        for index, tokens in repeated:
            tier = analysis.tiers[index]
            if tier is not None:
                after[tier] += tokens
        repeated_indices = {index for index, _ in repeated}
        shares = [0] * TIERS
        for index in summary.covers:
            tier = analysis.tiers[index]
            if tier is not None and index not in repeated_indices:
                shares[tier] += analysis.transcript.messages[index].tokens
        total = sum(shares) or 1
        for tier in sorted(range(TIERS), key=lambda tier: shares[tier]):
            # never more than the tier had: the largest tier takes what a heading needs beyond that
            tier_tokens = min(tokens_left * shares[tier] // total, max(0, before[tier] - after[tier]))
            after[tier] += tier_tokens
            tokens_left -= tier_tokens
            total -= shares[tier]
            if total <= 0:
                break
    return tuple(TierLine(tier, messages[tier], before[tier], after[tier]) for tier in range(TIERS))
