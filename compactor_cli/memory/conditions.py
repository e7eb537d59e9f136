"""Which memories are meant, and in which order they are wanted."""

from __future__ import annotations

from msgspec import Struct

ORDERS = ("newest", "oldest", "importance")


class Filters(Struct, frozen=True, kw_only=True):
    """What memories must have; without any, all are meant."""

    category: str = ""
    tag: str = ""
    since: float | None = None
    """Remembered at this time or later, seconds since 1970."""
    until: float | None = None
    """Remembered before this time."""
    pinned: bool = False
    """Only those that are pinned."""
    transcripts: tuple[str, ...] = ()
    """Paths of the file that they were said in: one of them will do."""
    least: float = 0.0
    """The least importance."""


EVERYTHING = Filters()
