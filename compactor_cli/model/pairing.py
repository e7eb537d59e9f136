"""Matches tool results with tool calls. Ids can be reused, so the order of occurrence decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.model.message import Message, Part

Spot = tuple[int, int]
"""Position of a message in the sequence, and position of the part in the message."""


class Pairing(Struct, frozen=True):
    """The pairing of calls and results in a sequence of messages."""

    answers: dict[Spot, Spot]
    """Result -> the call it answers."""
    unanswered: tuple[Spot, ...]
    orphans: tuple[Spot, ...]
    """Results whose call is missing."""
    duplicates: tuple[Spot, ...]
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
    result_of = {call: result for result, call in (pairing or pair(messages)).answers.items()}
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if part.kind == "tool_call":
                spot = result_of.get((index, position))
                answer = messages[spot[0]] if spot else None
                yield AnsweredCall(message, part, answer, answer.parts[spot[1]] if answer and spot else None)


def pair(messages: Sequence[Message]) -> Pairing:
    """Pair each result with the most recent open call that has its id, or else with a later call."""
    open_calls: dict[str, list[Spot]] = defaultdict(list)
    early: dict[str, list[Spot]] = defaultdict(list)
    answered: set[str] = set()
    answers: dict[Spot, Spot] = {}
    duplicates: list[Spot] = []
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            kind = part.kind
            if kind == "tool_call":
                spot = (index, position)
                if early and early.get(part.call_id) and part.call_id not in answered:
                    answers[early[part.call_id].pop(0)] = spot
                    answered.add(part.call_id)
                else:
                    open_calls[part.call_id].append(spot)
            elif kind == "tool_result":
                spot = (index, position)
                waiting = open_calls.get(part.call_id)
                if waiting:
                    newest = waiting[-1][0]
                    first = next(i for i, call in enumerate(waiting) if call[0] == newest) if len(waiting) > 1 else 0
                    answers[spot] = waiting.pop(first)
                    answered.add(part.call_id)
                elif part.call_id in answered:
                    duplicates.append(spot)
                else:
                    early[part.call_id].append(spot)
    return Pairing(
        answers,
        tuple(sorted(spot for spots in open_calls.values() for spot in spots)),
        tuple(sorted(spot for spots in early.values() for spot in spots)),
        tuple(duplicates),
    )
