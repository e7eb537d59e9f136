"""Matches tool results with tool calls. Ids can be reused, so the order of occurrence decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.model.message import Message, Part

PartIndex = tuple[int, int]
"""Position of a message in the sequence, and position of the part in the message."""


class Pairing(Struct, frozen=True):
    """The pairing of calls and results in a sequence of messages."""

    call_of: dict[PartIndex, PartIndex]
    """Result -> the call it answers."""
    unanswered: tuple[PartIndex, ...]
    orphans: tuple[PartIndex, ...]
    """Results whose call is missing."""
    duplicates: tuple[PartIndex, ...]
    """Additional results for a call that already has one."""


class AnsweredCall(NamedTuple):
    """A call with its result, if it has one."""

    message: Message
    call: Part
    answer: Message | None
    """The message that contains the result."""
    result: Part | None


def answered_calls(messages: Sequence[Message], pairing: Pairing | None = None) -> Iterator[AnsweredCall]:
    """Yield every call in order, with its result. `pairing`: the pairing of these messages, if already known."""
    result_of = {call: result for result, call in (pairing or pair_calls(messages)).call_of.items()}
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if part.kind == "tool_call":
                location = result_of.get((index, position))
                answer = messages[location[0]] if location else None
                yield AnsweredCall(message, part, answer, answer.parts[location[1]] if answer and location else None)


def pair_calls(messages: Sequence[Message]) -> Pairing:
    """Pair each result with the most recent open call that has its id, or else with a later call."""
    open_calls: dict[str, list[PartIndex]] = defaultdict(list)
    early_results: dict[str, list[PartIndex]] = defaultdict(list)
    answered: set[str] = set()
    answers: dict[PartIndex, PartIndex] = {}
    duplicates: list[PartIndex] = []
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            kind = part.kind
            if kind == "tool_call":
                location = (index, position)
                if early_results and early_results.get(part.call_id) and part.call_id not in answered:
                    answers[early_results[part.call_id].pop(0)] = location
                    answered.add(part.call_id)
                else:
                    open_calls[part.call_id].append(location)
            elif kind == "tool_result":
                location = (index, position)
                open_locations = open_calls.get(part.call_id)
                if open_locations:
                    newest = open_locations[-1][0]
                    first = (
                        next(i for i, call in enumerate(open_locations) if call[0] == newest)
                        if len(open_locations) > 1
                        else 0
                    )
                    answers[location] = open_locations.pop(first)
                    answered.add(part.call_id)
                elif part.call_id in answered:
                    duplicates.append(location)
                else:
                    early_results[part.call_id].append(location)
    return Pairing(
        answers,
        tuple(sorted(location for locations in open_calls.values() for location in locations)),
        tuple(sorted(location for locations in early_results.values() for location in locations)),
        tuple(duplicates),
    )
