"""What an agent puts beside the words of the user, such as the files that they name: no words of the user."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.formats.base import Builder
from compactor_cli.model.message import Origin, Part


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
    """Append what the user said, and a message that stays or goes with it for what stands `beside`. Returns the index
    of the first."""
    turn = records[-1] if beside else None
    index = build.add("user", words, records, id=id, timestamp=timestamp, origin=origin, turn=turn, pinned=pinned)
    if beside:
        own = f"{id or index}/beside"
        build.add("user", beside, records, id=own, timestamp=timestamp, origin="injected", turn=turn, pinned=pinned)
    return index
