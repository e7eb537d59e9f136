"""Filters for memories, and the orders in which they can be listed."""

from __future__ import annotations

from msgspec import Struct

ORDERS = ("newest", "oldest", "importance")


class Filters(Struct, frozen=True, kw_only=True):
    """Conditions that memories must meet; by default, all memories do."""

    category: str = ""
    tag: str = ""
    since: float | None = None
    """Remembered at this time or later, in seconds since 1970."""
    until: float | None = None
    """Remembered before this time, in seconds since 1970."""
    pinned: bool = False
    transcripts: tuple[str, ...] = ()
    """Paths of source files, of which a memory must have at least one."""
    least: float = 0.0


EVERYTHING = Filters()
