"""The archive: the input of every compaction, what was removed from it, how to restore it, how to free space, and how
to remove sessions.

Every function runs in a transaction begun by its caller. Functions that change something need a write transaction.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from compactor_cli.archive.manifest_json import removed_json, removed_of
from compactor_cli.archive.stored.archive_find import (
    ancestry,
    compaction_chain,
    compactions_at_path,
    find_compaction,
    get_compaction,
    newest_compactions,
)
from compactor_cli.archive.stored.archive_pieces import add_pieces, drop_pieces, lock, read_pieces, stored_bytes
from compactor_cli.archive.stored.rounds import add_rounds, forget_empty_sessions, rounds_of
from compactor_cli.db.database import batches
from compactor_cli.db.tables import compactions, objects, pieces, rounds
from compactor_cli.errors import InputError, NotKeptError, StoreError
from compactor_cli.model.archived import Archived, ArchiveSize, Evicted, FileState, FoundCompaction, Manifest
from compactor_cli.model.content import Content, sha256

__all__ = ["compaction_chain", "compactions_at_path", "find_compaction", "get_compaction", "newest_compactions"]
_DAY = 86_400.0


def keep(connection: Connection, manifest: Manifest, pieces: Sequence[bytes], now: float) -> int:
    """Store a compaction, its rounds and the pieces of its input; return its id. An unchanged file is recorded without
    pieces, unless it is a known output. The output counts as not written until `confirm`."""
    lock(connection)
    before = ancestry(connection, pieces)
    if before.sha256 != manifest.input.sha256:
        raise AssertionError("the pieces are not the input of the compaction")
    if not manifest.changed and before.exact:
        return before.outputs[0]
    previous = before.outputs[0] if before.outputs else None
    added = _insert(connection, manifest, previous, now)
    if manifest.changed:
        add_pieces(connection, added, pieces)
        chain = [] if previous is None else compaction_chain(connection, previous)
        earlier = [compaction.id for compaction in reversed(chain)]
        add_rounds(connection, added, manifest, earlier, before.inputs)
    return added


def confirm(connection: Connection, id: int) -> None:
    """Record that the output of a compaction was written to its destination."""
    connection.execute(update(compactions).where(compactions.c.id == id).values(written=True))


def restore(
    connection: Connection, id: int, now: float | None, write_chunk: Callable[[Iterable[bytes]], Content] = b"".join
) -> Content:
    """Return the input of a compaction. Raises StoreError when the archive no longer holds it. `now`: the last use,
    which needs a write transaction; None if it cannot be recorded. `write_chunk`: stores the pieces."""
    if now is not None:
        # the first statement locks the row, so that nobody deletes the pieces while they are read
        connection.execute(update(compactions).where(compactions.c.id == id).values(used=now))
    compaction = get_compaction(connection, id)
    for source in _stored_sources(connection, compaction):
        data = write_chunk(_first(read_pieces(connection, source), compaction.input.size))
        if sha256(data) == compaction.input.sha256:
            return data
        raise StoreError(f"the pieces of compaction {source} no longer make up its input: the archive is damaged")
    if not compaction.changed:
        raise NotKeptError(
            f"compaction {id} changed nothing, so its input was not stored: the file itself is the original "
            f"({compaction.input.size:,} bytes, SHA-256 {compaction.input.sha256})"
        )
    raise NotKeptError(
        f"the original of compaction {id} is no longer in the archive: it was removed to stay within "
        "archive.limit_mb; raise that to keep more"
    )


def _first(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    for piece in pieces:
        if size > 0:
            yield piece[:size]
        size -= len(piece)


def manifest(connection: Connection, id: int) -> Manifest:
    """Return the manifest of a compaction as stored; its rounds are numbered within the session."""
    row = connection.execute(select(compactions.c.counter, compactions.c.removed).where(compactions.c.id == id)).first()
    compaction = get_compaction(connection, id)
    assert row is not None
    try:
        removed = removed_of(json.loads(zlib.decompress(row.removed)))
    except (zlib.error, ValueError, InputError):
        raise StoreError(f"the manifest of compaction {id} is damaged in the archive") from None
    rounds = tuple(past_round.round for past_round in rounds_of(connection, id))
    return Manifest(compaction.input, compaction.output, compaction.format, row.counter, rounds, removed)


def find_by_marks(connection: Connection, references: Container[str]) -> FoundCompaction | None:
    """Return the newest compaction with a mark among these references (their first 8 hex digits)."""
    for compaction in newest_compactions(connection):
        removed = manifest(connection, compaction.id).removed
        if any(entry.marked and entry.digest[:8] in references for entry in removed):
            return FoundCompaction(compaction.id, "marks")
    return None


def archive_size(connection: Connection) -> ArchiveSize:
    count, input_bytes = connection.execute(
        select(func.count(), func.count().filter(compactions.c.kept)).select_from(compactions)
    ).one()
    number, total = connection.execute(
        select(func.count(), func.coalesce(func.sum(objects.c.size), 0)).select_from(objects)
    ).one()
    return ArchiveSize(count, input_bytes, number, int(total), stored_bytes(connection))


def _insert(connection: Connection, manifest: Manifest, previous: int | None, now: float) -> int:
    values = {
        "at": now,
        "used": now,
        "previous": previous,
        "written": False,
        "kept": manifest.changed,
        "format": manifest.format,
        "counter": manifest.counter,
        **_state_values("input", manifest.input),
        **_state_values("output", manifest.output),
        "removed": zlib.compress(json.dumps(removed_json(manifest.removed)).encode()),
    }
    return int(connection.execute(insert(compactions).values(values).returning(compactions.c.id)).scalar_one())


def _state_values(name: str, state: FileState) -> dict[str, object]:
    return {f"{name}_path": state.path, f"{name}_sha256": state.sha256, f"{name}_size": state.size}


def _stored_sources(connection: Connection, target: Archived) -> Iterator[int]:
    """Yield compactions whose stored input equals or begins with that of `target`, which comes first. No pieces are
    stored of an unchanged file; if it grew and was compacted, that compaction's input begins with it."""
    if target.kept:
        yield target.id
    if target.changed:
        same = compactions.c.input_sha256 == target.input.sha256
        yield from connection.execute(select(compactions.c.id).where(same, compactions.c.kept)).scalars()
        return
    waiting, seen_ids = [target.id], {target.id}
    while waiting:
        compaction = waiting.pop()
        follows = (compactions.c.previous == compaction) | (compactions.c.input_sha256 == target.input.sha256)
        query = select(compactions.c.id, compactions.c.kept, compactions.c.input_sha256, compactions.c.output_sha256)
        for row in connection.execute(query.where(follows)).all():
            if row.kept:
                yield row.id
            elif row.id not in seen_ids and row.input_sha256 == row.output_sha256:
                seen_ids.add(row.id)
                waiting.append(row.id)


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
