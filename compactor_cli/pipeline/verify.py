"""The faults of a transcript that an API would reject, or that make it hard to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compactor_cli.formats.base import Format
from compactor_cli.model.group import Fault
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, pair_calls
from compactor_cli.pipeline.alternation import repeated_roles


def format_faults(messages: Sequence[Message], rules: Format) -> tuple[Fault, ...]:
    """Return what is wrong with the calls, results and roles of a conversation, by the rules of its format."""
    return faults(messages, adjacent_results=rules.adjacent_results, alternates=rules.alternates)


def faults(
    messages: Sequence[Message], *, adjacent_results: bool, alternates: bool = False, pairing: Pairing | None = None
) -> tuple[Fault, ...]:
    """Return all faults of a sequence of messages, in order; `index` is the position in the sequence."""
    pairing = pairing or pair_calls(messages)
    found = [*_call_faults(messages, pairing), *(_misplaced_results(messages, pairing) if adjacent_results else ())]
    for index in repeated_roles(messages) if alternates else ():
        detail = "has the same role as the message before it" if index else "the first message is not the user's"
        found.append(Fault("repeated_role", index, detail))
    return tuple(sorted(found, key=lambda fault: (fault.index, fault.kind, fault.call_id)))


def _call_faults(messages: Sequence[Message], pairing: Pairing) -> Iterator[Fault]:
    """Yield calls without a result, except for work in flight at the very end, and results without a call of their
    own."""
    last = last_turn(messages)
    for index, part_index in pairing.unanswered:
        if index < last:
            part = messages[index].parts[part_index]
            yield Fault("unanswered_call", index, f"no result for the call of {part.name or 'a tool'}", part.call_id)
    for i, part_index in pairing.orphans:
        yield Fault("orphan_result", i, "a result without its call", messages[i].parts[part_index].call_id)
    for i, part_index in pairing.duplicates:
        yield Fault("duplicate_result", i, "a second result for a call", messages[i].parts[part_index].call_id)


def _misplaced_results(messages: Sequence[Message], pairing: Pairing) -> Iterator[Fault]:
    for (index, part_index), (call, _) in pairing.call_of.items():
        if index != call + 1 and not is_adjacent(messages, call, index):
            call_id = messages[index].parts[part_index].call_id
            yield Fault("misplaced_result", index, f"the result does not follow its call (message {call})", call_id)


def is_adjacent(messages: Sequence[Message], call: int, result: int) -> bool:
    """Return whether only results are between a call and its result."""
    if result <= call:
        return False
    return all(messages[i].results for i in range(call + 1, result))


def last_turn(messages: Sequence[Message]) -> int:
    """Return the position from which an unanswered call counts as work in flight: that of the last assistant turn. Only
    results may follow it (some of several parallel calls have returned)."""
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
