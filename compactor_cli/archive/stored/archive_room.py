"""Free space in the archive, and remove sessions from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, delete, select, update

from compactor_cli.archive.stored.archive_pieces import drop_pieces, lock, stored_bytes
from compactor_cli.archive.stored.rounds import forget_empty_sessions
from compactor_cli.db.database import batches
from compactor_cli.db.tables import compactions, pieces, rounds
from compactor_cli.model.archived import Evicted

_DAY = 86_400.0


def evict(connection: Connection, limit_bytes: int, keep_days: float, now: float) -> Evicted:
    """Delete stored inputs, least recently used first, until the archive is within its limit. Those of the last
    `keep_days` stay, and so does the history of deleted ones."""
    lock(connection)
    stored = stored_bytes(connection)
    if stored <= limit_bytes:
        return Evicted(0, 0)
    border = now - keep_days * _DAY
    old = compactions.c.kept & (compactions.c.at < border)
    query = select(compactions.c.id).where(old).order_by(compactions.c.used, compactions.c.id)
    evicted_count, freed = 0, 0
    for oldest in connection.execute(query).scalars().all():
        if not _has_room(connection, oldest, border):
            continue
        freed += drop_pieces(connection, oldest)
        connection.execute(update(compactions).where(compactions.c.id == oldest).values(kept=False))
        evicted_count += 1
        if stored - freed <= limit_bytes:
            break
    return Evicted(evicted_count, freed, stored - freed > limit_bytes)


def _has_room(connection: Connection, compaction: int, border: float) -> bool:
    """Return whether a compaction has a piece that no staying compaction uses, so that deleting it frees space."""
    used_elsewhere = (
        select(pieces.c.object)
        .join(compactions, compactions.c.id == pieces.c.compaction)
        .where(compactions.c.kept, compactions.c.at >= border)
    )
    own = select(pieces.c.object).where(pieces.c.compaction == compaction, pieces.c.object.not_in(used_elsewhere))
    return connection.execute(own.limit(1)).first() is not None


def purge(connection: Connection, ids: Iterable[int]) -> Evicted:
    """Delete everything about the sessions of these compactions, except pieces shared with others. The bytes disappear
    from the database's files after `removal.scrub`."""
    lock(connection)
    going = related(connection, ids)
    freed = sum(drop_pieces(connection, compaction) for compaction in going)
    for batch in batches(going):
        connection.execute(delete(rounds).where(rounds.c.compaction.in_(batch)))
        connection.execute(delete(compactions).where(compactions.c.id.in_(batch)))
    forget_empty_sessions(connection)
    return Evicted(len(going), freed)


def related(connection: Connection, ids: Iterable[int]) -> list[int]:
    """Return these compactions and all others of the same sessions and files."""
    reached: set[int] = set()
    new = set(ids)
    while new:
        reached |= new
        near: set[int] = set()
        for batch in batches(sorted(new)):
            for query in _session_neighbours(batch):
                near |= set(connection.execute(query).scalars())
        new = near - reached
    present: list[int] = []
    for batch in batches(sorted(reached)):
        present += connection.execute(select(compactions.c.id).where(compactions.c.id.in_(batch))).scalars()
    return present


def _session_neighbours(ids: Sequence[int]) -> list[Select[Any]]:
    own_sessions = select(rounds.c.session).where(rounds.c.compaction.in_(ids))
    inputs = select(compactions.c.input_sha256).where(compactions.c.id.in_(ids))
    before = select(compactions.c.previous).where(compactions.c.id.in_(ids), compactions.c.previous.is_not(None))
    return [
        before,
        select(compactions.c.id).where(compactions.c.previous.in_(ids)),
        select(compactions.c.id).where(compactions.c.input_sha256.in_(inputs)),
        select(rounds.c.compaction).where(rounds.c.session.in_(own_sessions)),
    ]
