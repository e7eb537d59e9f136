"""Messages -> groups, the units that can be kept or removed by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, pair_calls
from compactor_cli.pipeline.verify import last_turn


def form_groups(messages: Sequence[Message], pairing: Pairing | None = None) -> tuple[Group, ...]:
    """Return groups in the order of their first message: calls with results, turns saved in pieces, reasoning with its
    answer. Groups are found by union-find, so results may be parallel, nested or far away."""
    parents = list(range(len(messages)))

    def find(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    def join(a: int, b: int) -> None:
        a, b = find(a), find(b)
        parents[max(a, b)] = min(a, b)

    pairing = pairing or pair_calls(messages)
    for (result, _), (call, _) in pairing.call_of.items():
        join(call, result)
    turns: dict[int, int] = {}
    for index, message in enumerate(messages):
        if message.turn is not None:
            join(turns.setdefault(message.turn, index), index)
        if index and message.role == "assistant" and _reasoning_only(messages[index - 1]):
            join(index - 1, index)
    members: dict[int, list[int]] = {}
    for index in range(len(messages)):
        members.setdefault(find(index), []).append(index)
    last = last_turn(messages)
    open_roots = {find(index) for index, _ in pairing.unanswered if index >= last}
    return tuple(
        Group(number, tuple(indices), sum(messages[i].tokens for i in indices), root in open_roots)
        for number, (root, indices) in enumerate(members.items())
    )


def _reasoning_only(message: Message) -> bool:
    return message.role == "assistant" and bool(message.parts) and all(p.kind == "thinking" for p in message.parts)
