"""Which memories are meant, for the database."""

from __future__ import annotations

from sqlalchemy import ColumnElement, exists, true

from compactor_cli.db.tables import memories, memory_sources, memory_tags
from compactor_cli.memory.conditions import Filters


def condition(filters: Filters) -> ColumnElement[bool]:
    """Return what a row must be like."""
    clause: ColumnElement[bool] = true()
    if filters.category:
        clause &= memories.c.category == filters.category
    if filters.tag:
        clause &= exists().where(memory_tags.c.memory == memories.c.id, memory_tags.c.tag == filters.tag)
    if filters.since is not None:
        clause &= memories.c.created >= filters.since
    if filters.until is not None:
        clause &= memories.c.created < filters.until
    if filters.pinned:
        clause &= memories.c.pinned
    if filters.transcripts:
        in_transcript = memory_sources.c.transcript.in_(filters.transcripts)
        clause &= exists().where(memory_sources.c.memory == memories.c.id, in_transcript)
    if filters.least:
        clause &= memories.c.importance >= filters.least
    return clause
