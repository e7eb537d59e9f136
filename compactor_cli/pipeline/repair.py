"""Faults of the input mended before anything is decided; every repair is reported.

Unanswered calls get a synthetic result that says so, results without a call and second results are
taken out, results that stand elsewhere are moved behind their call. What is mended in place of the
transcript is never the caller's data: a new transcript is returned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from compactor_cli.model.message import Message, Part, Place
from compactor_cli.model.pairing import Spot, pair
from compactor_cli.model.transcript import Note, Transcript
from compactor_cli.pipeline.verify import is_adjacent, last_turn

NO_RESPONSE = "Tool no response (synthetic: the transcript holds no result for this call)"


def repair(
    transcript: Transcript, *, adjacent_results: bool, per_message: int, count: Callable[[str], int]
) -> tuple[Transcript, tuple[Note, ...]]:
    """A transcript without faults, its messages numbered anew, and what was done to it."""
    messages = transcript.messages
    pairing = pair(messages)
    late = {
        spot: call
        for spot, call in pairing.answers.items()
        if adjacent_results and not is_adjacent(messages, call[0], spot[0])
    }
    last = last_turn(messages)
    missing = [spot for spot in pairing.unanswered if spot[0] < last]
    surplus = {*pairing.orphans, *pairing.duplicates}
    if not (late or missing or surplus):
        return transcript, ()
    notes = [Note("removed_result", at, "no call for it") for at, _ in sorted(surplus)]
    behind: dict[int, list[Message]] = defaultdict(list)
    moved: set[int] = set()
    for (at, which), call in sorted(late.items()):
        message = messages[at]
        if len(message.results) == len(message.parts) == 1:
            moved.add(at)
            behind[call[0]].append(replace(message, after=messages[call[0]].records[-1]))
            notes.append(Note("moved_result", at, f"behind its call in message {call[0]}"))
        else:  # a result among others: it stays as text, and the call is answered anew
            surplus.add((at, which))
            missing.append(call)
            notes.append(Note("detached_result", at, f"belongs to the call in message {call[0]}"))
    for call in sorted(missing):
        behind[call[0]].append(_answer(messages[call[0]], call, per_message, count))
        notes.append(Note("synthetic_result", call[0], "the call had no result"))
    out: list[Message] = []
    for at, message in enumerate(messages):
        out += [] if at in moved else _without(message, at, surplus)
        out += behind[at]
    mended = _number(out)
    if not mended:  # nothing but results without calls: there is nothing to mend it to
        return transcript, ()
    owners = _renumber_owners(transcript, mended)
    return replace(transcript, messages=mended, owners=owners), tuple(sorted(notes, key=lambda n: (n.index, n.kind)))


def _answer(message: Message, call: Spot, per_message: int, count: Callable[[str], int]) -> Message:
    part = message.parts[call[1]]
    tokens = count(NO_RESPONSE)
    result = Part("tool_result", NO_RESPONSE, tokens, None, part.name, part.call_id, True)
    return Message(
        index=-1,
        id=f"synthetic:{part.call_id}",
        role="tool",
        parts=(result,),
        records=(),
        tokens=per_message + tokens,
        timestamp=message.timestamp,
        after=message.after if message.after is not None else message.records[-1],
    )


def _without(message: Message, at: int, surplus: set[Spot]) -> list[Message]:
    """The message without surplus results: gone when it holds nothing else, else turned into text."""
    gone = {which for where, which in surplus if where == at}
    if not gone:
        return [message]
    if len(gone) == len(message.parts):
        return []
    parts = tuple(_as_text(p) if which in gone else p for which, p in enumerate(message.parts))
    return [replace(message, parts=parts)]


def _as_text(part: Part) -> Part:
    """A result block as a text block at the same place, so that the record stays valid."""
    if part.place is None:
        return part  # nowhere to write it: the fault stays, and is reported as the input's own
    place = Place(part.place.record, part.place.path[:-1], "block:text")
    return Part("text", part.text or "(no output)", part.tokens, place, edited=True)


def _number(messages: list[Message]) -> tuple[Message, ...]:
    return tuple(m if m.index == at else replace(m, index=at) for at, m in enumerate(messages))


def _renumber_owners(transcript: Transcript, mended: tuple[Message, ...]) -> dict[int, int]:
    new_index = {record: message.index for message in mended for record in message.records}
    owners = {}
    for record, owner in transcript.owners.items():
        index = new_index.get(transcript.messages[owner].records[0])
        if index is not None:
            owners[record] = index
    return owners
