"""How messages are read that an earlier round wrote: without the mark at their beginning or end, which is nobody's
words, and a summary with its last request in the order of time. No stage and no output has them otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Spot
from compactor_cli.model.plan import Decision, Edit, Plan
from compactor_cli.model.report import Analysis
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.one_compaction import mark_of
from compactor_cli.summary_text.reading import in_turn


class Unmarked(NamedTuple):
    """A transcript as it is read, and the parts of it that earlier rounds wrote otherwise."""

    transcript: Transcript
    spots: frozenset[Spot]


def without_marks(transcript: Transcript, count: Callable[[str], int]) -> Unmarked:
    """Return a transcript without the marks of earlier rounds, which are nobody's words, and with the last request of
    an earlier summary before what followed it."""
    messages, spots = list(transcript.messages), set()
    newest = max((m.index for m in messages if m.origin == "request"), default=-1)
    for message in transcript.messages:
        first = message.parts[0] if message.parts else None
        text = _as_read(message, newest)
        if first is not None and text is not None and text != first.text:
            part = replace(first, text=text, tokens=count(text))
            tokens = message.tokens - first.tokens + part.tokens
            messages[message.index] = replace(message, parts=(part, *message.parts[1:]), tokens=tokens)
            spots.add((message.index, 0))
    return Unmarked(replace(transcript, messages=tuple(messages)) if spots else transcript, frozenset(spots))


def _as_read(message: Message, newest: int) -> str | None:
    """Return how the first part of a message is read that an earlier round wrote; None of any other message. `newest`:
    the newest request, behind which that of a summary is the last one no more."""
    if message.origin == "summary" and message.index < newest and [part.kind for part in message.parts] == ["text"]:
        return in_turn(message.parts[0].text)
    mark = mark_of(message)
    return mark.text if mark else None


def is_cut(before: Message, after: Message) -> bool:
    """Return whether a message is another one in the output: more is changed than the mark of an earlier round, which
    the one before may have been read without."""
    changed = [at for at, part in enumerate(after.parts) if part.edited]
    if changed != [0] or before.parts[0].edited:  # what a repair changed
        return bool(changed)
    return _said(before) != _said(after)


def _said(message: Message) -> str:
    """Return the first part of a message without a mark."""
    mark = mark_of(message)
    return mark.text if mark else message.parts[0].text


def without_earlier_marks(analysis: Analysis, plan: Plan) -> Plan:
    """Return the plan without the marks of earlier rounds in the messages that stay as they are otherwise."""
    if not analysis.unmarked:
        return plan

    def bare(decision: Decision) -> Decision:
        if decision.rendition not in ("whole", "shortened"):
            return decision
        edited = {(edit.message, edit.part) for edit in decision.edits}
        spots = analysis.unmarked.intersection((i, 0) for i in analysis.groups[decision.group].messages) - edited
        parts = ((spot, analysis.transcript.messages[spot[0]].parts[spot[1]]) for spot in spots)
        more = [Edit(*spot, part.text, part.tokens) for spot, part in parts]
        return decision._replace(edits=tuple(sorted([*decision.edits, *more]))) if more else decision

    return replace(plan, decisions=tuple(map(bare, plan.decisions)))
