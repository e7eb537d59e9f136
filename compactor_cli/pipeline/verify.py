"""Invariants of a valid transcript, each an object with a name. The tests use the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from compactor_cli.model.group import Fault
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, pair_calls
from compactor_cli.pipeline.alternation import repeated_roles


class OutputView(Struct, frozen=True):
    """The input of an invariant."""

    messages: Sequence[Message]
    pairing: Pairing
    adjacent_results: bool
    alternates: bool


class Invariant(Protocol):
    name: str

    def faults(self, view: OutputView) -> Iterator[Fault]: ...


class CallsAnswered:
    """Every call has a result, except for work in flight at the very end."""

    name = "unanswered_call"

    def faults(self, view: OutputView) -> Iterator[Fault]:
        last = last_turn(view.messages)
        for index, part_index in view.pairing.unanswered:
            if index < last:
                part = view.messages[index].parts[part_index]
                yield Fault(self.name, index, f"no result for the call of {part.name or 'a tool'}", part.call_id)


class ResultsCalled:
    """Every result belongs to a call, and no call has two."""

    name = "orphan_result"

    def faults(self, view: OutputView) -> Iterator[Fault]:
        for i, part_index in view.pairing.orphans:
            yield Fault(self.name, i, "a result without its call", view.messages[i].parts[part_index].call_id)
        for i, part_index in view.pairing.duplicates:
            yield Fault("duplicate_result", i, "a second result for a call", view.messages[i].parts[part_index].call_id)


class ResultsAdjacent:
    """Results directly follow their call, if the API requires it."""

    name = "misplaced_result"

    def faults(self, view: OutputView) -> Iterator[Fault]:
        if not view.adjacent_results:
            return
        for (index, part_index), (call, _) in view.pairing.call_of.items():
            if index != call + 1 and not is_adjacent(view.messages, call, index):
                call_id = view.messages[index].parts[part_index].call_id
                yield Fault(self.name, index, f"the result does not follow its call (message {call})", call_id)


class RolesAlternate:
    """No two consecutive turns have the same role, and the first is the user's, if the API requires it."""

    name = "repeated_role"

    def faults(self, view: OutputView) -> Iterator[Fault]:
        for index in repeated_roles(view.messages) if view.alternates else ():
            detail = "has the same role as the message before it" if index else "the first message is not the user's"
            yield Fault(self.name, index, detail)


INVARIANTS: tuple[Invariant, ...] = (CallsAnswered(), ResultsCalled(), ResultsAdjacent(), RolesAlternate())


def faults(
    messages: Sequence[Message], *, adjacent_results: bool, alternates: bool = False, pairing: Pairing | None = None
) -> tuple[Fault, ...]:
    """Return all faults of a sequence of messages, in order; `index` is the position in the sequence."""
    view = OutputView(messages, pairing or pair_calls(messages), adjacent_results, alternates)
    found = [fault for invariant in INVARIANTS for fault in invariant.faults(view)]
    return tuple(sorted(found, key=lambda fault: (fault.index, fault.kind, fault.call_id)))


def is_adjacent(messages: Sequence[Message], call: int, result: int) -> bool:
    """Return whether only results are between a call and its result."""
    if result <= call:
        return False
    return all(messages[i].results for i in range(call + 1, result))


def last_turn(messages: Sequence[Message]) -> int:
    """Return the position from which an unanswered call counts as work in flight: that of the last assistant turn.

    Only results may follow it (some of several parallel calls have returned).
    """
    index = len(messages)
    while index > 0 and messages[index - 1].role == "tool":
        index -= 1
    if index == 0 or messages[index - 1].role != "assistant":
        return len(messages)
    turn = messages[index - 1].turn
    index -= 1
    while index > 0 and turn is not None and messages[index - 1].turn == turn:
        index -= 1
    return index
