"""Turns under the role user: a request, tool results, or both, and what an agent puts next to the user's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from compactor_cli.formats.base import Builder
from compactor_cli.model.injected import DETACHED_RESULT, inserted_among, origin_of_blocks, origin_of_parts
from compactor_cli.model.message import Message, Origin, Part, Role


def turn_role(role: Role, parts: list[Part]) -> tuple[Role, Origin]:
    """Return the role and origin of a turn. The role user may stand for a request, tool results, or both."""
    if role == "user" and any(p.kind == "tool_result" for p in parts):
        origin = origin_of_blocks(parts)
        return ("user" if origin == "request" else "tool"), origin
    return role, origin_of_parts(parts, by_user=role == "user")


def add_turn(build: Builder, role: Role, parts: list[Part], record: int, timestamp: float | None) -> int:
    """Add a turn that consists of one record."""
    role, origin = turn_role(role, parts)
    return build.add(role, parts, (record,), timestamp=timestamp, origin=origin)


def add_request(
    build: Builder,
    words: Sequence[Part],
    further: Sequence[Part],
    records: tuple[int, ...],
    *,
    id: str = "",
    timestamp: float | None = None,
    origin: Origin = "request",
    pinned: bool = False,
) -> int:
    """Append the user's words and, for the parts in `further`, a second message that stays or goes with them. Return
    the index of the first."""
    turn = records[-1] if further else None
    index = build.add("user", words, records, id=id, timestamp=timestamp, origin=origin, turn=turn, pinned=pinned)
    if further:
        further_id = f"{id or index}/beside"
        origin = "injected"
        build.add("user", further, records, id=further_id, timestamp=timestamp, origin=origin, turn=turn, pinned=pinned)
    return index


def with_typed_apart(messages: Sequence[Message], owners: Mapping[int, int]) -> tuple[list[Message], dict[int, int]]:
    """Return the messages, with two messages of one turn for a request that also holds what a harness inserted: the
    text that comes first is in the first one. Next to tool results, such text stays where it is. `owners`: record ->
    index of the message that it belongs to; it is returned with the new indices."""
    found: list[Message] = []
    new: dict[int, int] = {}
    for message in messages:
        is_turn = message.origin == "request" and len(message.parts) > 1 and message.turn is None
        inserted = inserted_among(message.parts) if is_turn and not _has_results(message) else []
        new[message.index] = len(found)
        halves = _halves(message, inserted) if inserted else [message]
        found += [replace(half, index=len(found) + index) for index, half in enumerate(halves)]
    return found, {record: new[owner] for record, owner in owners.items()}


def _has_results(message: Message) -> bool:
    return any(p.kind == "tool_result" or p.text.startswith(DETACHED_RESULT) for p in message.parts)


def _halves(message: Message, inserted: Sequence[int]) -> list[Message]:
    """Return a message for what the user typed, and one for what a harness inserted."""
    inserted_parts = [message.parts[index] for index in inserted]
    moved = sum(part.tokens for part in inserted_parts)
    typed = tuple(part for index, part in enumerate(message.parts) if index not in inserted)
    turn = -1 - message.records[-1]  # no number that a format gives its turns
    halves = [
        replace(message, parts=typed, tokens=message.tokens - moved, turn=turn),
        replace(
            message,
            id=f"{message.id}/beside",
            parts=tuple(inserted_parts),
            tokens=moved,
            origin="injected",
            turn=turn,
        ),
    ]
    return halves[::-1] if inserted[0] == 0 else halves
