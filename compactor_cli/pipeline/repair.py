"""Repair faults of the input before anything is decided. Every repair is reported.

An unanswered call gets a synthetic result that says so. Results without a call and second results are removed.
Misplaced results are moved behind their call. Repairs never change the caller's transcript; a new one is returned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from msgspec.structs import replace

from compactor_cli.model.injected import DETACHED_RESULT
from compactor_cli.model.message import (
    ADDED_ENCODING,
    CLOSING_ID,
    CLOSING_TEXT,
    NO_RESPONSE,
    Message,
    Part,
    Place,
    Role,
    ends_with_result,
)
from compactor_cli.model.pairing import Pairing, PartIndex, pair_calls
from compactor_cli.model.transcript import Note, Transcript
from compactor_cli.pipeline.verify import is_adjacent, last_turn


class _RepairRules(NamedTuple):
    """What a format's API requires, and how tokens are counted."""

    adjacent_results: bool
    alternates: bool
    per_message: int
    count: Callable[[str], int]


def repair(
    transcript: Transcript,
    *,
    adjacent_results: bool,
    alternates: bool = False,
    per_message: int,
    count: Callable[[str], int],
    pairing: Pairing | None = None,
    answer_last: bool = False,
    close: bool = False,
) -> tuple[Transcript, tuple[Note, ...]]:
    """Return a transcript without faults, with its messages renumbered, and notes on the repairs. `alternates`: roles
    alternate, so all results of a turn's calls must be in one message. `answer_last`: whether calls in flight are
    answered, too. `close`: whether a tool result at the very end is followed by an assistant turn, so that a user turn
    can follow."""
    pairing = pairing or pair_calls(transcript.messages)
    last = len(transcript.messages) if answer_last else last_turn(transcript.messages)
    rules = _RepairRules(adjacent_results, alternates, per_message, count)
    repaired, notes = _repair_results(transcript, pairing, last, rules)
    in_flight = any(index >= last for index, _ in pairing.unanswered)
    if not close or in_flight:
        return repaired, notes
    closed, more = _close_history(repaired, rules)
    return closed, (*notes, *more)


def _repair_results(
    transcript: Transcript,
    pairing: Pairing,
    last: int,
    rules: _RepairRules,
) -> tuple[Transcript, tuple[Note, ...]]:
    """Put every result behind its call, and answer every call before `last`."""
    messages = transcript.messages
    misplaced = {
        location: call
        for location, call in pairing.call_of.items()
        if rules.adjacent_results and location[0] != call[0] + 1 and not is_adjacent(messages, call[0], location[0])
    }
    missing = [location for location in pairing.unanswered if location[0] < last]
    surplus = {*pairing.orphans, *pairing.duplicates}
    if not (misplaced or missing or surplus):
        return transcript, ()
    moved_results = frozenset(misplaced)
    notes = [Note("removed_result", index, "no call for it") for index, _ in sorted(surplus)]
    added_after: dict[int, list[Message]] = defaultdict(list)
    moved: set[int] = set()
    by_message: dict[int, dict[int, PartIndex]] = defaultdict(dict)
    for (index, part_index), call in sorted(misplaced.items()):
        by_message[index][part_index] = call
    for index, results in by_message.items():
        message = messages[index]
        callers = {call[0] for call in results.values()}
        if len(results) == len(message.parts) and len(callers) == 1:
            caller = callers.pop()
            moved.add(index)
            added_after[caller].append(replace(message, after=messages[caller].records[-1]))
            notes.append(Note("moved_result", index, f"placed after its call in message {caller}"))
            continue
        for part_index, call in results.items():  # among other parts: it becomes text, the call is answered anew
            if not _has_place(message.parts[part_index]):
                continue  # no text block can be written there: the fault stays and is reported as the input's own
            surplus.add((index, part_index))
            missing.append(call)
            notes.append(Note("detached_result", index, f"belongs to the call in message {call[0]}"))
    answering_messages = _adjacent_answers(pairing, missing, moved) if rules.alternates else {}
    added_parts = _add_results(messages, missing, answering_messages, added_after, rules)
    notes += [Note("synthetic_result", index, "the call had no result") for index, _ in sorted(missing)]
    result: list[Message] = []
    for index, message in enumerate(messages):
        remaining = [] if index in moved else _remove_results(message, index, surplus, moved_results, rules.count)
        if added_parts[index]:
            place = Place(message.records[-1], (), ADDED_ENCODING)  # behind everything else in the record
            parts = [replace(part, place=place, edited=True) for part in added_parts[index]]
            remaining = [_append_parts(each, parts) for each in remaining]
        result += remaining
        result += added_after[index]
    repaired = tuple(
        m if m.index == index else replace(m, index=index, input_number=m.number) for index, m in enumerate(result)
    )
    if not repaired:  # the transcript consists only of results without calls and cannot be repaired
        return transcript, ()
    owners = _renumber_owners(transcript, repaired)
    return replace(transcript, messages=repaired, owners=owners), tuple(sorted(notes, key=lambda n: (n.index, n.kind)))


def _add_results(
    messages: Sequence[Message],
    missing: Sequence[PartIndex],
    answering_messages: Mapping[PartIndex, int],
    added_after: dict[int, list[Message]],
    rules: _RepairRules,
) -> dict[int, list[Part]]:
    """Add a result for each call without one to `added_after`. Return those of existing messages."""
    added_parts: dict[int, list[Part]] = defaultdict(list)
    for call in sorted(missing):
        # after the whole turn if it is saved in pieces, because reading it again must give one group
        end = _turn_end(messages, call[0])
        part = messages[call[0]].parts[call[1]]
        answer = Part("tool_result", NO_RESPONSE, rules.count(NO_RESPONSE), None, part.name, part.call_id, True)
        result = _added_message(f"synthetic:{part.call_id}", "tool", answer, messages[call[0]], messages[end], rules)
        if call in answering_messages:
            added_parts[answering_messages[call]] += result.parts
        elif rules.alternates and added_after[end] and not added_after[end][-1].records:
            added_after[end][-1] = _append_parts(added_after[end][-1], result.parts)
        else:
            added_after[end].append(result)
    return added_parts


def _adjacent_answers(pairing: Pairing, missing: Sequence[PartIndex], moved: Set[int]) -> dict[PartIndex, int]:
    """Return unanswered call -> the message after it, if that message answers other calls of the same turn."""
    answered_callers = {
        call[0] for (index, _), call in pairing.call_of.items() if index == call[0] + 1 and index not in moved
    }
    return {call: call[0] + 1 for call in missing if call[0] in answered_callers}


def _append_parts(message: Message, parts: Sequence[Part]) -> Message:
    tokens = message.tokens + sum(part.tokens for part in parts)
    return replace(message, parts=(*message.parts, *parts), tokens=tokens)


def removal_warnings(messages: Sequence[Message], repairs: Sequence[Note]) -> tuple[str, ...]:
    """Return a warning about messages that consisted only of results without calls; empty if there are none."""
    removed = Counter(note.index for note in repairs if note.kind == "removed_result")
    lost = [m for m in messages if removed[m.index] == len(m.parts) == len(m.results) > 0] if removed else []
    if not lost:
        return ()
    results, tokens = sum(len(message.parts) for message in lost), sum(message.tokens for message in lost)
    return (
        f"{results:,} tool result{'s' if results > 1 else ''} without a call removed ({tokens:,} tokens), as APIs "
        "refuse them; convert keeps them as text",
    )


def _close_history(transcript: Transcript, rules: _RepairRules) -> tuple[Transcript, tuple[Note, ...]]:
    messages = transcript.messages
    if not messages or not ends_with_result(messages[-1]):
        return transcript, ()
    closing = Part("text", CLOSING_TEXT, rules.count(CLOSING_TEXT))
    turn = _added_message(CLOSING_ID, "assistant", closing, messages[-1], messages[-1], rules)
    note = Note("assistant_turn", len(messages), "after the tool result that ends the history")
    return replace(transcript, messages=(*messages, replace(turn, index=len(messages)))), (note,)


def _added_message(id: str, role: Role, part: Part, source: Message, last: Message, rules: _RepairRules) -> Message:
    """Return a message with one part, which belongs to the message `source` and is written after the message `last`."""
    return Message(
        index=-1,
        input_number=source.number,
        id=id,
        role=role,
        parts=(part,),
        records=(),
        tokens=rules.per_message + part.tokens,
        timestamp=source.timestamp,
        after=last.after if last.after is not None else last.records[-1],
    )


def _turn_end(messages: Sequence[Message], index: int) -> int:
    turn = messages[index].turn
    while turn is not None and index + 1 < len(messages) and messages[index + 1].turn == turn:
        index += 1
    return index


def _remove_results(
    message: Message,
    index: int,
    surplus: set[PartIndex],
    moved_results: frozenset[PartIndex],
    count: Callable[[str], int],
) -> list[Message]:
    """Return the message without surplus results. If it contains nothing else it is removed, otherwise they become
    text. A result that answers a call is never removed, only turned into text."""
    part_indices = {part_index for message_index, part_index in surplus if message_index == index}
    if not part_indices:
        return [message]
    if len(part_indices) == len(message.parts) and not any(
        (index, part_index) in moved_results for part_index in part_indices
    ):
        return []
    parts = tuple(_as_text(p, count) if part_index in part_indices else p for part_index, p in enumerate(message.parts))
    tokens = message.tokens + sum(p.tokens for p in parts) - sum(p.tokens for p in message.parts)
    if message.role == "tool" and not any(p.kind == "tool_result" for p in parts):
        # when read again, a message without results counts as one of the harness
        return [replace(message, parts=parts, tokens=tokens, role="user", origin="injected")]
    return [replace(message, parts=parts, tokens=tokens)]


def _has_place(part: Part) -> bool:
    """Return whether a text block can be written in place of a result block."""
    return part.place is not None and len(part.place.path) >= 2


def _as_text(part: Part, count: Callable[[str], int]) -> Part:
    """Return a result block as a text block at the same place, so that the record stays valid."""
    if part.place is None or not _has_place(part):
        return part
    place = Place(part.place.record, part.place.path[:-1], "block:text")
    text = f"{DETACHED_RESULT} {part.text}".rstrip()
    return Part("text", text, count(text), place, edited=True)


def _renumber_owners(transcript: Transcript, repaired: tuple[Message, ...]) -> dict[int, int]:
    new_index = {record: message.index for message in reversed(repaired) for record in message.records}
    owners = {}
    for record, owner in transcript.owners.items():
        index = new_index.get(transcript.messages[owner].records[0])
        if index is not None:
            owners[record] = index
    return owners
