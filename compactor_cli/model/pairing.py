"""Which tool result answers which call. Ids are reused, so the order of occurrence decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.model.message import Message, Part

Spot = tuple[int, int]
"""Position of a message in the sequence, position of the part in it."""


class Pairing(Struct, frozen=True):
    """Calls and results of a sequence of messages."""

    answers: dict[Spot, Spot]
    """Result -> the call it answers."""
    unanswered: tuple[Spot, ...]
    orphans: tuple[Spot, ...]
    """Results whose call does not occur."""
    duplicates: tuple[Spot, ...]
    """Further results for a call that has one."""


class AnsweredCall(NamedTuple):
    """A call, and its result where it has one."""

    message: Message
    call: Part
    answer: Message | None
    """The message of the result."""
    result: Part | None


def answered_calls(messages: Sequence[Message], pairing: Pairing | None = None) -> Iterator[AnsweredCall]:
    """Yield every call in order, with its result. `pairing`: that of the messages, where it is known."""
    result_of = {call: result for result, call in (pairing or pair(messages)).answers.items()}
    for index, message in enumerate(messages):
        for position, part in enumerate(message.parts):
            if part.kind == "tool_call":
                spot = result_of.get((index, position))
                answer = messages[spot[0]] if spot else None
                yield AnsweredCall(message, part, answer, answer.parts[spot[1]] if answer and spot else None)


def pair(messages: Sequence[Message]) -> Pairing:
    """Pair results with calls: the most recent open call of that id, else one that comes later."""
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
