"""The marks of earlier rounds at the beginning of messages, which are nobody's words: no stage reads them, and no
output keeps them."""

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


class Unmarked(NamedTuple):
    """A transcript without the marks of earlier rounds, and where it had some."""

    transcript: Transcript
    spots: frozenset[Spot]


def without_marks(transcript: Transcript, count: Callable[[str], int]) -> Unmarked:
    """Return a transcript without the marks of earlier rounds, which are nobody's words."""
    messages, spots = list(transcript.messages), set()
    for message in transcript.messages:
        if mark := mark_of(message):
            first = message.parts[0]
            part = replace(first, text=mark.text, tokens=count(mark.text))
            tokens = message.tokens - first.tokens + part.tokens
            messages[message.index] = replace(message, parts=(part, *message.parts[1:]), tokens=tokens)
            spots.add((message.index, 0))
    return Unmarked(replace(transcript, messages=tuple(messages)) if spots else transcript, frozenset(spots))


def is_cut(before: Message, after: Message) -> bool:
    """Return whether a message is another one in the output: more is changed than that a mark stands before it."""
    texts = (
        mark.text if at == 0 and (mark := mark_of(after)) else part.text
        for at, part in enumerate(after.parts)
        if part.edited
    )
    own = [part.text for part, now in zip(before.parts, after.parts, strict=False) if now.edited]
    return [*texts] != own


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
