"""Change or delete many memories: forgetting, decay and consolidation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, false, select, text

from compactor_cli.db.database import batches
from compactor_cli.db.tables import memories, memory_sources, memory_tags, memory_vectors
from compactor_cli.memory.merging import Faded, Merge, check_half_life, consolidate_memories, fade_memory, merges
from compactor_cli.memory.stored.memories import row_of
from compactor_cli.memory.stored.memory_rows import (
    by_digest,
    load_memories,
    lock_memories,
    remove,
    rewrite_rows,
)
from compactor_cli.model.memory import Memory

TABLES = (memories, memory_tags, memory_sources, memory_vectors)


def forget_memories(connection: Connection, names: Iterable[str]) -> list[Memory]:
    """Delete memories named by (prefixes of) ids and return them. Raises UsageError. Their bytes go with
    `removal.scrub`."""
    lock_memories(connection)
    rows = list(dict.fromkeys(row_of(connection, name) for name in names))
    by_row = load_memories(connection, rows)
    remove(connection, rows)
    clear_index(connection)
    return [by_row[row] for row in rows]


def decay_memories(connection: Connection, now: float, half_life_days: float, *, dry_run: bool = False) -> list[Faded]:
    """Lower the importance of unused memories; return the changes by creation. Raises UsageError."""
    if not dry_run:
        lock_memories(connection)
    check_half_life(half_life_days)
    changes: list[Faded] = []
    for batch in batches(_rows(connection, only_unpinned=True)):
        stored = load_memories(connection, batch)
        changed = [(row, stored[row], fade_memory(stored[row], now, half_life_days)) for row in batch]
        changed = [change for change in changed if change[1] != change[2]]
        if not dry_run:
            rewrite_rows(connection, changed)
        changes += [Faded(before, after) for _, before, after in changed]
    return changes


def merge_memories(connection: Connection, half_life_days: float, *, dry_run: bool = False) -> list[Merge]:
    """Merge memories that say the same; return the merges, `kept` as it was before."""
    if not dry_run:
        lock_memories(connection)
    stored = load_memories(connection, list(_rows(connection)))
    merged = merges(stored.values())
    if dry_run or not merged:
        return merged
    for batch in batches(merged, 100):
        digests = [memory.digest for merge in batch for memory in (merge.kept, *merge.others)]
        rows = {digest: row for part in batches(digests) for digest, (row, _) in by_digest(connection, part).items()}
        rewrite_rows(
            connection,
            [(rows[m.kept.digest], m.kept, consolidate_memories(m.kept, m.others, half_life_days)) for m in batch],
        )
        remove(connection, [rows[merged.digest] for merge in batch for merged in merge.others])
    clear_index(connection)
    return merged


def clear_index(connection: Connection) -> None:
    """Purge deleted words from FTS5's index, which otherwise keeps them until it merges its lists."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')"))


def _rows(connection: Connection, *, only_unpinned: bool = False) -> Iterator[int]:
    selection = select(memories.c.id).order_by(memories.c.id)
    if only_unpinned:
        selection = selection.where(memories.c.pinned == false())
    yield from connection.execute(selection).scalars().all()
