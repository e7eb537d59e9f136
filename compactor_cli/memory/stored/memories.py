"""The memory log: adding, finding and marking memories, forgetting, decay and consolidation. Each function runs in a
transaction begun by the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, false, func, select, text

from compactor_cli.db.database import batches
from compactor_cli.db.tables import memories, memory_sources, memory_tags, memory_vectors
from compactor_cli.errors import UsageError
from compactor_cli.memory.conditions import EVERYTHING, Filters
from compactor_cli.memory.merging import (
    MAX_USES,
    Faded,
    Merge,
    check_half_life,
    check_memory,
    consolidate_memories,
    fade_memory,
    import_memory,
    merges,
    repeat_memory,
)
from compactor_cli.memory.queries import MemoryHit
from compactor_cli.memory.stored import memory_rows
from compactor_cli.memory.stored.memory_rows import by_digest, load_memories, lock_memories, remove, rewrite_rows
from compactor_cli.memory.stored.memory_search import filter_condition, search_memories
from compactor_cli.model.memory import Memory

__all__ = ["Filters", "MemoryHit", "search_memories"]

_PREFIX = "mem_"
_MIN_PREFIX_DIGITS = 4
_ORDERS: dict[str, tuple[ColumnElement[object], ...]] = {
    "newest": (memories.c.created.desc(), memories.c.digest),
    "oldest": (memories.c.created, memories.c.digest),
    "importance": (memories.c.importance.desc(), memories.c.created.desc(), memories.c.digest),
}
TABLES = (memories, memory_tags, memory_sources, memory_vectors)


class Added(Struct, frozen=True):
    """The result of adding memories."""

    new: tuple[Memory, ...]
    known: tuple[Memory, ...]
    """Memories that were already known, in their present state."""


def add_memories(connection: Connection, incoming: Iterable[Memory], now: float) -> Added:
    """Add memories; a known one gets the new sources and tags, and its decay starts again. Raises UsageError."""
    return _put(connection, incoming, lambda existing, repetition: repeat_memory(existing, repetition, now))


def import_memories(connection: Connection, lines: Iterable[Memory]) -> Added:
    """Import exported memories with their uses and times. Importing them again changes nothing."""
    return _put(connection, lines, import_memory)


def _put(connection: Connection, incoming: Iterable[Memory], join: Callable[[Memory, Memory], Memory]) -> Added:
    memory_rows.lock_memories(connection)
    new: dict[str, Memory] = {}
    existing: dict[str, Memory] = {}
    for batch in batches(map(check_memory, incoming)):
        stored = memory_rows.by_digest(connection, [memory.digest for memory in batch])
        fresh: dict[str, Memory] = {}
        after: dict[str, Memory] = {}
        for memory in batch:
            digest = memory.digest
            if digest in stored:
                after[digest] = join(after.get(digest, stored[digest][1]), memory)
            else:
                fresh[digest] = join(fresh[digest], memory) if digest in fresh else memory
        memory_rows.insert_new(connection, list(fresh.values()))
        memory_rows.rewrite_rows(connection, [(*stored[digest], memory) for digest, memory in after.items()])
        new |= fresh
        for digest, memory in after.items():
            (new if digest in new else existing)[digest] = memory
    return Added(tuple(new.values()), tuple(existing.values()))


def count_memories(connection: Connection, filters: Filters = EVERYTHING) -> int:
    return connection.execute(select(func.count()).select_from(memories).where(filter_condition(filters))).scalar() or 0


def get_memory(connection: Connection, name: str) -> Memory:
    """Return the memory with this id or prefix of an id. Raises UsageError unless exactly one matches."""
    return memory_rows.load_memories(connection, [row := row_of(connection, name)])[row]


def row_of(connection: Connection, name: str) -> int:
    """Return the row of an id or a prefix of an id. Raises UsageError unless exactly one matches."""
    digits = name.strip().lower().removeprefix(_PREFIX)
    if len(digits) < _MIN_PREFIX_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise UsageError(
            f"{name!r} is not the id of a memory; ids look like mem_0123456789ab, and the first {_MIN_PREFIX_DIGITS} "
            "digits may be enough"
        )
    # digests are lower-case hex, so all digests with this prefix are between these bounds
    rows = connection.execute(
        select(memories.c.id, memories.c.digest, memories.c.text)
        .where(memories.c.digest >= digits, memories.c.digest < digits + "g")
        .order_by(memories.c.digest)
        .limit(6)
    ).all()
    if len(rows) == 1:
        return int(rows[0].id)
    if not rows:
        raise UsageError(f"memory {name} does not exist; `compactor memory list` lists all")
    listing = "".join(f"\n  mem_{row.digest[:12]}  {' '.join(row.text.split())[:60]}" for row in rows[:5])
    raise UsageError(
        f"{name} is ambiguous; give more digits of one of these ids:{listing}" + ("\n  ..." if len(rows) > 5 else "")
    )


def list_memories(
    connection: Connection, filters: Filters = EVERYTHING, *, limit: int | None = None, order: str = "newest"
) -> list[Memory]:
    selection = select(memories.c.id).where(filter_condition(filters)).order_by(*_ORDERS[order]).limit(limit)
    rows = list(connection.execute(selection).scalars())
    by_row = memory_rows.load_memories(connection, rows)
    return [by_row[row] for row in rows]


def mark_used(connection: Connection, used: Iterable[Memory], now: float) -> None:
    """Record that memories were used; those that no longer exist are skipped."""
    _mark(
        connection,
        used,
        lambda memory: replace(memory, used=max(now, memory.used or 0.0), uses=min(MAX_USES, memory.uses + 1)),
    )


def set_pinned(connection: Connection, rows: Iterable[Memory], *, pinned: bool = True) -> None:
    _mark(connection, rows, lambda memory: replace(memory, pinned=pinned))


def _mark(connection: Connection, rows: Iterable[Memory], change: Callable[[Memory], Memory]) -> None:
    memory_rows.lock_memories(connection)
    for batch in batches(dict.fromkeys(memory.digest for memory in rows)):
        stored = memory_rows.by_digest(connection, batch)
        memory_rows.rewrite_rows(connection, [(row, before, change(before)) for row, before in stored.values()])


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
