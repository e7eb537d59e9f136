"""Faults of the input mended before anything is decided; every repair is reported.

Unanswered calls get a synthetic result that says so, results without a call and second results are
taken out, results that stand elsewhere are moved behind their call. What is mended in place of the
transcript is never the caller's data: a new transcript is returned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from compactor_cli.model.injected import DETACHED_RESULT
from compactor_cli.model.message import CLOSING_ID, Message, Part, Place
from compactor_cli.model.pairing import Pairing, Spot, pair
from compactor_cli.model.transcript import Note, Transcript
from compactor_cli.pipeline.verify import is_adjacent, last_turn

NO_RESPONSE = "Tool no response (synthetic: the transcript holds no result for this call)"
UNDERSTOOD = "Understood."
"""What the assistant says behind a tool result that would end the history (seed 004)."""


def repair(
    transcript: Transcript,
    *,
    adjacent_results: bool,
    per_message: int,
    count: Callable[[str], int],
    pairing: Pairing | None = None,
    answer_last: bool = False,
    close: bool = False,
) -> tuple[Transcript, tuple[Note, ...]]:
    """A transcript without faults, its messages numbered anew, and what was done to it.

    `answer_last`: calls in flight are answered too. `close`: behind a tool result at the very end stands
    a turn of the assistant, so that a turn of the user may follow.
    """
    pairing = pairing or pair(transcript.messages)
    last = len(transcript.messages) if answer_last else last_turn(transcript.messages)
    mended, notes = _mended(transcript, pairing, last, adjacent_results, per_message, count)
    in_flight = any(at >= last for at, _ in pairing.unanswered)
    if not close or in_flight:
        return mended, notes
    closed, more = _closed(mended, per_message, count)
    return closed, (*notes, *more)


def _mended(
    transcript: Transcript,
    pairing: Pairing,
    last: int,
    adjacent_results: bool,
    per_message: int,
    count: Callable[[str], int],
) -> tuple[Transcript, tuple[Note, ...]]:
    """Every result behind its call and every call before `last` answered."""
    messages = transcript.messages
    late = {
        spot: call
        for spot, call in pairing.answers.items()
        if adjacent_results and not is_adjacent(messages, call[0], spot[0])
    }
    missing = [spot for spot in pairing.unanswered if spot[0] < last]
    surplus = {*pairing.orphans, *pairing.duplicates}
    if not (late or missing or surplus):
        return transcript, ()
    answered = frozenset(late)
    notes = [Note("removed_result", at, "no call for it") for at, _ in sorted(surplus)]
    behind: dict[int, list[Message]] = defaultdict(list)
    moved: set[int] = set()
    for at, answers in _by_message(late).items():
        message = messages[at]
        callers = {call[0] for call in answers.values()}
        if len(answers) == len(message.parts) and len(callers) == 1:
            caller = callers.pop()
            moved.add(at)
            behind[caller].append(replace(message, after=messages[caller].records[-1]))
            notes.append(Note("moved_result", at, f"behind its call in message {caller}"))
            continue
        for position, call in answers.items():  # a result among others: it stays as text, the call is answered anew
            if not _has_place(message.parts[position]):
                continue  # nowhere to write that: the fault stays, and is reported as the input's own
            surplus.add((at, position))
            missing.append(call)
            notes.append(Note("detached_result", at, f"belongs to the call in message {call[0]}"))
    for call in sorted(missing):
        # behind the whole turn, where a turn is saved in pieces: reading it again must find one group
        end = _turn_end(messages, call[0])
        behind[end].append(_answer(messages[call[0]], call[1], messages[end], per_message, count))
        notes.append(Note("synthetic_result", call[0], "the call had no result"))
    out: list[Message] = []
    for at, message in enumerate(messages):
        out += [] if at in moved else _without(message, at, surplus, answered, count)
        out += behind[at]
    mended = _number(out)
    if not mended:  # nothing but results without calls: there is nothing to mend it to
        return transcript, ()
    owners = _renumber_owners(transcript, mended)
    return replace(transcript, messages=mended, owners=owners), tuple(sorted(notes, key=lambda n: (n.index, n.kind)))


def ends_with_result(messages: Sequence[Message]) -> bool:
    """Return whether a history ends with a tool result, behind which some APIs accept no turn of the user."""
    return bool(messages) and bool(messages[-1].results)


def _closed(
    transcript: Transcript, per_message: int, count: Callable[[str], int]
) -> tuple[Transcript, tuple[Note, ...]]:
    messages = transcript.messages
    if not ends_with_result(messages):
        return transcript, ()
    last, tokens = messages[-1], count(UNDERSTOOD)
    turn = Message(
        index=len(messages),
        given=last.number,
        id=CLOSING_ID,
        role="assistant",
        parts=(Part("text", UNDERSTOOD, tokens),),
        records=(),
        tokens=per_message + tokens,
        timestamp=last.timestamp,
        after=last.after if last.after is not None else last.records[-1],
    )
    note = Note("assistant_turn", turn.index, "behind the tool result that ends the history")
    return replace(transcript, messages=(*messages, turn)), (note,)


def _turn_end(messages: Sequence[Message], at: int) -> int:
    turn = messages[at].turn
    while turn is not None and at + 1 < len(messages) and messages[at + 1].turn == turn:
        at += 1
    return at


def _answer(message: Message, position: int, last: Message, per_message: int, count: Callable[[str], int]) -> Message:
    """A result for a call of `message`, to stand behind the message `last`."""
    part = message.parts[position]
    tokens = count(NO_RESPONSE)
    result = Part("tool_result", NO_RESPONSE, tokens, None, part.name, part.call_id, True)
    return Message(
        index=-1,
        given=message.number,
        id=f"synthetic:{part.call_id}",
        role="tool",
        parts=(result,),
        records=(),
        tokens=per_message + tokens,
        timestamp=message.timestamp,
        after=last.after if last.after is not None else last.records[-1],
    )


def _by_message(late: dict[Spot, Spot]) -> dict[int, dict[int, Spot]]:
    """Message -> its parts that are late results -> their calls."""
    found: dict[int, dict[int, Spot]] = defaultdict(dict)
    for (at, position), call in sorted(late.items()):
        found[at][position] = call
    return found


def _without(
    message: Message, at: int, surplus: set[Spot], answered: frozenset[Spot], count: Callable[[str], int]
) -> list[Message]:
    """The message without surplus results: gone when it holds nothing else, else they become text.

    A result that does answer a call is never taken out, only turned into text.
    """
    gone = {position for where, position in surplus if where == at}
    if not gone:
        return [message]
    if len(gone) == len(message.parts) and not any((at, position) in answered for position in gone):
        return []
    parts = tuple(_as_text(p, count) if position in gone else p for position, p in enumerate(message.parts))
    tokens = message.tokens + sum(p.tokens for p in parts) - sum(p.tokens for p in message.parts)
    if message.role == "tool" and not any(p.kind == "tool_result" for p in parts):
        # read again, a message without results speaks for the harness
        return [replace(message, parts=parts, tokens=tokens, role="user", origin="injected")]
    return [replace(message, parts=parts, tokens=tokens)]


def _has_place(part: Part) -> bool:
    """Return whether a text block can be written where a result block stands."""
    return part.place is not None and len(part.place.path) >= 2


def _as_text(part: Part, count: Callable[[str], int]) -> Part:
    """A result block as a text block at the same place, so that the record stays valid."""
    if part.place is None or not _has_place(part):
        return part
    place = Place(part.place.record, part.place.path[:-1], "block:text")
    text = f"{DETACHED_RESULT} {part.text}".rstrip()
    return Part("text", text, count(text), place, edited=True)


def _number(messages: list[Message]) -> tuple[Message, ...]:
    return tuple(m if m.index == at else replace(m, index=at, given=m.number) for at, m in enumerate(messages))


def _renumber_owners(transcript: Transcript, mended: tuple[Message, ...]) -> dict[int, int]:
    new_index = {record: message.index for message in reversed(mended) for record in message.records}
    owners = {}
    for record, owner in transcript.owners.items():
        index = new_index.get(transcript.messages[owner].records[0])
        if index is not None:
            owners[record] = index
    return owners
