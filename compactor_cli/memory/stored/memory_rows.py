"""Convert memories to rows and rows to memories, always several at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, text, update

from compactor_cli.db.database import batches
from compactor_cli.db.tables import memories, memory_sources, memory_tags
from compactor_cli.memory.merging import within_bounds
from compactor_cli.memory.search_terms import BORDER, term_text
from compactor_cli.model.memory import Memory, MemorySource

_NUMBERS = ("category", "importance", "confidence", "created", "used", "uses", "pinned", "decayed")
"""Columns of a memory that change."""
_LOCK = "LOCK TABLE memories IN SHARE ROW EXCLUSIVE MODE"
_VECTORS = "INSERT INTO memory_vectors (memory, words) VALUES (:memory, CAST(:words AS tsvector))"


def lock_memories(connection: Connection) -> None:
    """Block others from changing memories until the transaction ends, which SQLite does by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(_LOCK))


def load_memories(connection: Connection, ids: Sequence[int]) -> dict[int, Memory]:
    loaded: dict[int, Memory] = {}
    for batch in batches(ids):
        tags = _by_memory(connection, memory_tags, batch)
        sources = _by_memory(connection, memory_sources, batch)
        for row in connection.execute(select(memories).where(memories.c.id.in_(batch))):
            loaded[row.id] = _memory(row, tags.get(row.id, []), sources.get(row.id, []))
    return loaded


def by_digest(connection: Connection, digests: Sequence[str]) -> dict[str, tuple[int, Memory]]:
    """Return digest -> (row, memory) for at most BATCH digests."""
    ids = connection.execute(select(memories.c.id).where(memories.c.digest.in_(digests))).scalars().all()
    return {memory.digest: (row, memory) for row, memory in load_memories(connection, ids).items()}


def insert_new(connection: Connection, new: Sequence[Memory]) -> None:
    """Insert new memories in order. The caller must have called `lock_memories`."""
    if not new:
        return
    first = (connection.execute(select(func.max(memories.c.id))).scalar() or 0) + 1
    numbered = dict(enumerate(new, start=first))
    searched = {row: term_text(memory.text) for row, memory in numbered.items()}
    rows = [
        {"id": row, "digest": memory.digest, "text": memory.text, "terms": searched[row], **_values(memory)}
        for row, memory in numbered.items()
    ]
    connection.execute(insert(memories), rows)
    if connection.dialect.name == "postgresql":
        connection.execute(text(_VECTORS), [{"memory": row, "words": search_vector(searched[row])} for row in numbered])
    _insert_many(connection, memory_tags, [_tag(row, tag) for row, m in numbered.items() for tag in m.tags])
    _insert_many(connection, memory_sources, [_source(row, s) for row, m in numbered.items() for s in m.sources])


def rewrite_rows(connection: Connection, changes: Sequence[tuple[int, Memory, Memory]]) -> None:
    """Store (row, before, after). Tags and sources are only added. Raises UsageError for numbers out of range."""
    changed = [
        {"row": row, **_values(within_bounds(after))}
        for row, before, after in changes
        if _values(after) != _values(before)
    ]
    if changed:
        connection.execute(update(memories).where(memories.c.id == bindparam("row")), changed)
    tags = [_tag(row, tag) for row, before, after in changes for tag in after.tags if tag not in before.tags]
    sources = [_source(row, s) for row, before, after in changes for s in after.sources if s not in before.sources]
    _insert_many(connection, memory_tags, tags)
    _insert_many(connection, memory_sources, sources)


def remove(connection: Connection, rows: Sequence[int]) -> None:
    for batch in batches(rows):
        connection.execute(delete(memories).where(memories.c.id.in_(batch)))


def search_vector(searched: str) -> str:
    """Return terms in the notation of PostgreSQL's text search vectors, with word positions."""
    places: dict[str, list[str]] = {}
    for position, word in enumerate(searched.replace(BORDER, " ").split(), start=1):
        places.setdefault(word, []).append(str(position))
    return " ".join(f"'{word}':{','.join(positions)}" for word, positions in places.items())


def _values(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in _NUMBERS}


def _memory(row: Row[Any], tags: Sequence[Row[Any]], sources: Sequence[Row[Any]]) -> Memory:
    return Memory(
        text=row.text,
        **{name: getattr(row, name) for name in _NUMBERS},
        # databases sort by locale
        tags=tuple(sorted(tag.tag for tag in tags)),
        sources=tuple(
            MemorySource(s.transcript, s.session, tuple(json.loads(s.messages)), tuple(json.loads(s.ids)))
            for s in sources
        ),
    )


def _by_memory(connection: Connection, table: Any, rows: Sequence[int]) -> Mapping[int, list[Row[Any]]]:
    by_memory: dict[int, list[Row[Any]]] = {}
    ordered = select(table).where(table.c.memory.in_(rows)).order_by(*table.primary_key)
    for row in connection.execute(ordered):
        by_memory.setdefault(row.memory, []).append(row)
    return by_memory


def _tag(row: int, tag: str) -> dict[str, Any]:
    return {"memory": row, "tag": tag}


def _source(row: int, source: MemorySource) -> dict[str, Any]:
    return {
        "memory": row,
        "transcript": source.transcript,
        "session": source.session,
        "messages": json.dumps(source.messages),
        "ids": json.dumps(source.ids),
    }


def _insert_many(connection: Connection, table: Any, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)
