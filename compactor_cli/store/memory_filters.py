"""Which memories are meant."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, true

from compactor_cli.store.tables import memories, memory_sources, memory_tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What memories must have; without any, all are meant."""

    category: str = ""
    tag: str = ""
    since: float | None = None
    """Remembered at this time or later, seconds since 1970."""
    until: float | None = None
    """Remembered before this time."""
    pinned: bool = False
    """Only those that are pinned."""
    transcript: str = ""
    """A path of the file that they were said in."""
    least: float = 0.0
    """The least importance."""

    def condition(self) -> ColumnElement[bool]:
        """The same for the database."""
        found: ColumnElement[bool] = true()
        if self.category:
            found &= memories.c.category == self.category
        if self.tag:
            found &= exists().where(memory_tags.c.memory == memories.c.id, memory_tags.c.tag == self.tag)
        if self.since is not None:
            found &= memories.c.created >= self.since
        if self.until is not None:
            found &= memories.c.created < self.until
        if self.pinned:
            found &= memories.c.pinned
        if self.transcript:
            found &= exists().where(
                memory_sources.c.memory == memories.c.id, memory_sources.c.transcript == self.transcript
            )
        if self.least:
            found &= memories.c.importance >= self.least
        return found


EVERYTHING = Filters()
