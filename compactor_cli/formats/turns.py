"""Turns under the role user: a request, tool results, or both, and what an agent adds to the user's words, such as
the files that they name."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.formats.base import Builder
from compactor_cli.model.injected import origin_of, origin_of_parts
from compactor_cli.model.message import Origin, Part, Role, text_in


def turn_role(role: Role, parts: list[Part]) -> tuple[Role, Origin]:
    """Return the role and origin of a turn. The role user may stand for a request, tool results, or both."""
    if role == "user" and any(p.kind == "tool_result" for p in parts):
        origin = origin_of(text_in(parts))
        return ("user" if origin == "request" else "tool"), origin
    return role, origin_of_parts(parts, by_user=role == "user")


def add_turn(build: Builder, role: Role, parts: list[Part], record: int, timestamp: float | None) -> int:
    """Add a turn that consists of one record."""
    role, origin = turn_role(role, parts)
    return build.add(role, parts, (record,), timestamp=timestamp, origin=origin)


def add_request(
    build: Builder,
    words: Sequence[Part],
    beside: Sequence[Part],
    records: tuple[int, ...],
    *,
    id: str = "",
    timestamp: float | None = None,
    origin: Origin = "request",
    pinned: bool = False,
) -> int:
    """Append the user's words and, for the parts in `beside`, a second message that stays or goes with them. Return
    the index of the first."""
    turn = records[-1] if beside else None
    index = build.add("user", words, records, id=id, timestamp=timestamp, origin=origin, turn=turn, pinned=pinned)
    if beside:
        own = f"{id or index}/beside"
        build.add("user", beside, records, id=own, timestamp=timestamp, origin="injected", turn=turn, pinned=pinned)
    return index
