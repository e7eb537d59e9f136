"""How messages written by an earlier round are read: without the mark at their beginning or end, which nobody said,
and, for a summary, with its last request in time order. All stages use messages in this form."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from compactor_cli.model.message import Message
from compactor_cli.model.pairing import PartIndex
from compactor_cli.model.plan import Decision, Edit, Plan
from compactor_cli.model.report import Analysis
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.one_compaction import mark_of
from compactor_cli.summary_text.reading import in_turn


def without_marks(transcript: Transcript, count: Callable[[str], int]) -> tuple[Transcript, frozenset[PartIndex]]:
    """Return a transcript without marks of earlier rounds, and with a summary's last request in time order."""
    messages, locations = list(transcript.messages), set()
    newest = max((m.index for m in messages if m.origin == "request"), default=-1)
    for message in transcript.messages:
        first = message.parts[0] if message.parts else None
        text = _unmarked_text(message, newest)
        if first is not None and text is not None and text != first.text:
            part = replace(first, text=text, tokens=count(text))
            tokens = message.tokens - first.tokens + part.tokens
            messages[message.index] = replace(message, parts=(part, *message.parts[1:]), tokens=tokens)
            locations.add((message.index, 0))
    return (replace(transcript, messages=tuple(messages)) if locations else transcript), frozenset(locations)


def _unmarked_text(message: Message, newest: int) -> str | None:
    """Return the text of a message's first part as it is read, if an earlier round wrote it; otherwise None."""
    if message.origin == "summary" and message.index < newest and [part.kind for part in message.parts] == ["text"]:
        return in_turn(message.parts[0].text)
    mark = mark_of(message)
    return mark.text if mark else None


def is_changed_beyond_mark(before: Message, after: Message) -> bool:
    """Return whether the output changes a message beyond the mark of an earlier round."""
    edited_parts = [index for index, part in enumerate(after.parts) if part.edited]
    first = before.parts[0] if edited_parts == [0] else None
    if first is None or first.edited or first.kind != "text":  # a repair made these changes, or there can be no mark
        return bool(edited_parts)
    return _text_without_mark(before) != _text_without_mark(after)


def _text_without_mark(message: Message) -> str:
    """Return the text of a message's first part, without a mark."""
    mark = mark_of(message)
    return mark.text if mark else message.parts[0].text


def without_earlier_marks(analysis: Analysis, plan: Plan) -> Plan:
    """Return the plan with edits that remove the marks of earlier rounds from messages that stay."""
    if not analysis.unmarked_parts:
        return plan

    def with_mark_edits(decision: Decision) -> Decision:
        if decision.rendition not in ("whole", "shortened"):
            return decision
        edited = {(edit.message, edit.part) for edit in decision.edits}
        locations = (
            analysis.unmarked_parts.intersection((i, 0) for i in analysis.groups[decision.group].messages) - edited
        )
        parts = ((location, analysis.transcript.messages[location[0]].parts[location[1]]) for location in locations)
        mark_edits = [Edit(*location, part.text, part.tokens) for location, part in parts]
        return decision._replace(edits=tuple(sorted([*decision.edits, *mark_edits]))) if mark_edits else decision

    return replace(plan, decisions=tuple(map(with_mark_edits, plan.decisions)))
