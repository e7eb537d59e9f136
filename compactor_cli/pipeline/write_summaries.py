"""Write the summaries that a plan asks for: their headings, their inputs, and the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.after_request import is_answered
from compactor_cli.features.spoken_names import names_spoken_of
from compactor_cli.features.work.state import KnownState, known_state
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message, Part, Role
from compactor_cli.model.plan import Plan, SummarySlot
from compactor_cli.model.planning import Summarizer, SummaryRequest
from compactor_cli.model.report import Analysis
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.one_compaction import Tools
from compactor_cli.summary_text.headers import CUT_OFF, Base, header, lines_header, lines_mark, round_of
from compactor_cli.summary_text.state_block import with_whole_list
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.summary_text.verbatim import carried
from compactor_cli.text.shorten import reference

_MAX_RECENT_GROUPS = 400


class Summary(Struct, frozen=True):
    """A written summary and the slot it fills."""

    slot: SummarySlot
    message: Message
    covers: tuple[int, ...]


def current_round(messages: Sequence[Message]) -> int:
    """Return the number of the round that compacts these messages."""
    return 1 + max((round_of(m.text("text")) for m in messages if m.origin == "summary"), default=0)


def write_summaries(
    analysis: Analysis, plan: Plan, tools: Tools, role: Role, query: str, base: Base
) -> tuple[Plan, tuple[Summary, ...]]:
    """Return the summaries that fill the slots of a plan, and the plan without groups whose summary does not fit."""
    transcript, groups = analysis.transcript, analysis.groups
    messages = transcript.messages
    number = current_round(messages)
    # a summarizer has usually just counted the finished text
    count = lru_cache(maxsize=1)(tools.counter.count)
    per_message = tools.counter.per_message
    base_slot = max(plan.slots, key=lambda slot: (slot.names_source, slot.budget), default=None)
    names_base = base_slot is not None and base_slot.names_source
    keywords = _keywords(messages, groups, plan, query)
    written: dict[SummarySlot, Summary] = {}
    failed: set[int] = set()
    unspent_tokens = 0
    # newest first: what a summary does not use goes to the next older one
    slots = sorted(plan.slots, key=lambda slot: (slot.tier, -slot.groups[0]))
    needs_state = any(slot.excerpts is None for slot in slots)
    known_now = KnownState()
    if needs_state:
        last = max(messages[i].index for slot in slots for group in slot.groups for i in groups[group].messages)
        known_now = known_state(messages, transcript.folder, analysis.pairing, up_to=last)
    task, requests = _first_request(messages), []
    newest = max(slots, key=lambda slot: slot.groups[-1], default=None)
    for slot in slots:
        slot_base = base if names_base and slot is base_slot else None
        request = _summary_request(transcript, groups, slot, number, slot_base, keywords, per_message)
        state = _state_up_to(known_now.lines, request.messages) if slot is newest else ()
        requests.append(replace(request, task=task, resolved=known_now.resolved, state=state))
    for slot, request in zip(slots, tools.summarizer.prepare(requests, count), strict=True):
        replaced = sum(m.tokens for m in request.messages)
        max_tokens = min(slot.budget + unspent_tokens, max(slot.budget, replaced - 1))
        text = _write_text(
            replace(request, slot=replace(slot, budget=max_tokens), budget=max_tokens - per_message),
            tools.summarizer,
            count,
        )
        unspent_tokens += slot.budget if slot.passes_on else 0
        if not text:
            failed |= set(slot.groups)
            continue
        if slot is not base_slot and text in (request.header, request.shorter_header):
            minimal = _minimal_summary(transcript, request, number)
            if count(minimal) + per_message <= max_tokens:
                text, failed = minimal, failed | set(slot.groups)
        tokens = count(text)
        part = Part("text", text, tokens)
        message = Message(-1, f"summary-{slot.groups[0]}", role, (part,), (), tokens + per_message, origin="summary")
        unspent_tokens -= message.tokens if slot.passes_on else 0
        written[slot] = Summary(slot, message, tuple(m.index for m in request.messages))
    if failed:
        decisions = (
            d._replace(rendition="gone", reason=f"{d.reason}, no room for a summary") if d.group in failed else d
            for d in plan.decisions
        )
        plan = replace(plan, decisions=tuple(decisions))
    return plan, tuple(written[slot] for slot in plan.slots if slot in written)


def _minimal_summary(transcript: Transcript, request: SummaryRequest, number: int) -> str:
    """Return the text of a summary that has nothing to tell: which messages are gone, and how to get them back."""
    address = _archive_reference(transcript, request.messages)
    return f"{lines_header({m.number for m in request.messages}, round=number, reference=address)}\n{CUT_OFF}"


def _archive_reference(transcript: Transcript, messages: Sequence[Message]) -> str:
    """Return the reference under which the records of messages are archived."""
    records = dict.fromkeys(record for message in messages for record in message.records)
    return reference(transcript.raw(record) for record in records)


def _first_request(messages: Sequence[Message]) -> str:
    """Return the session's first request, from an earlier summary or the first message of the user."""
    for message in messages:
        if message.origin == "request":
            return message.text("text")
        if message.origin == "summary" and (words := carried(message.text("text")).first):
            return words
    return ""


def _state_up_to(state: Sequence[StateLine], messages: Sequence[Message]) -> tuple[StateLine, ...]:
    """Return the state lines that are not based on anything after these messages."""
    last = max(m.index for m in messages)
    return with_whole_list(state, lambda line: line.message <= last)


def _summary_request(
    transcript: Transcript,
    groups: Sequence[Group],
    slot: SummarySlot,
    number: int,
    base: Base | None,
    keywords: frozenset[str],
    per_message: int,
) -> SummaryRequest:
    covered = [transcript.messages[i] for i in sorted(i for g in slot.groups for i in groups[g].messages)]
    covers = tuple(sorted({message.number for message in covered}))
    archive_reference = _archive_reference(transcript, covered)
    if slot.excerpts is None:
        tier = slot.tier if slot.outline == "tiers" else None
        tokens = sum(m.tokens for m in covered)
        heading = partial(header, number, covers, tier=tier, tokens=tokens, reference=archive_reference)
    elif slot.heading == "mark":
        heading = partial(lines_mark, covers, round=number)
    else:
        heading = partial(
            lines_header, covers, round=number, reference="" if slot.heading == "short" else archive_reference
        )
    parts = tuple(
        (part, [transcript.messages[i] for g in part.groups for i in groups[g].messages]) for part in slot.parts
    )
    budget = slot.budget - per_message
    shorter_header = heading() if base is not None else ""
    full = heading(base=base) if base is not None else heading()
    is_answered_now = is_answered(transcript.messages, covered[-1].index)
    follows_request = any(m.origin == "request" for m in transcript.messages[: covered[0].index])
    return SummaryRequest(
        slot,
        full,
        covered,
        keywords,
        budget,
        number,
        parts,
        shorter_header,
        is_answered=is_answered_now,
        follows_request=follows_request,
    )


def _write_text(request: SummaryRequest, summarizer: Summarizer, count: Callable[[str], int]) -> str:
    """Return the summary's text. If there is no room, use a heading without the size it was compacted from."""
    text = summarizer.summarize(request, count)
    if text or not request.shorter_header:
        return text
    return summarizer.summarize(replace(request, header=request.shorter_header), count)


def _keywords(messages: Sequence[Message], groups: Sequence[Group], plan: Plan, query: str) -> frozenset[str]:
    """Return the identifiers in what is kept, in prose and calls, and the words of the query."""
    kept = [d for d in plan.decisions if d.rendition in ("whole", "shortened")]
    recent = (messages[index] for decision in kept[-_MAX_RECENT_GROUPS:] for index in groups[decision.group].messages)
    return frozenset(names_spoken_of(recent).union(word for word in query.split() if len(word) > 2))
