"""Find the compaction that a file belongs to, and the compactions that it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, select

from compactor_cli.db.tables import compactions, rounds, sessions
from compactor_cli.errors import StoreError
from compactor_cli.model.archived import Archived, FileState, FoundCompaction
from compactor_cli.model.content import Content, split_chunks

_OWN = ("id", "at", "used", "previous", "written", "kept", "format")
_STATES = tuple(f"{name}_{field}" for name in ("input", "output") for field in ("path", "sha256", "size"))
_COMPACTION_COLUMNS = tuple(compactions.c[name] for name in (*_OWN, *_STATES))


class _State(NamedTuple):
    """File states of a compaction, to be compared with the beginning of a file."""

    id: int
    input_size: int
    input_sha256: str
    output_size: int
    output_sha256: str

    @property
    def rank(self) -> tuple[bool, int]:
        """Return the rank among states with the same output: changed ones first, then the newest."""
        return self.input_sha256 != self.output_sha256, self.id


class Ancestry(Struct, frozen=True):
    """Compactions that a file comes from. Each list begins with the nearest."""

    sha256: str
    outputs: tuple[int, ...]
    """Compactions whose output the file equals or begins with."""
    inputs: tuple[int, ...]
    """Compactions whose input the file equals or begins with."""
    exact: bool
    """Whether the file equals the output of the first of `outputs`."""
    original: bool
    """Whether the file equals the input of the first of `inputs`."""


def ancestry(connection: Connection, contents: Sequence[bytes]) -> Ancestry:
    """Compare a file, given in pieces, with the outputs and inputs of all compactions in one pass."""
    size = sum(map(len, contents))
    columns = compactions.c
    query = select(
        columns.id, columns.input_size, columns.input_sha256, columns.output_size, columns.output_sha256
    ).where((columns.output_size <= size) | (columns.input_size <= size))
    states = [_State(*row) for row in connection.execute(query)]
    sizes = {size, *(s.output_size for s in states), *(s.input_size for s in states)}
    digests = prefix_digests(contents, sizes)
    outputs = [s for s in states if s.output_size and digests.get(s.output_size) == s.output_sha256]
    inputs = [s for s in states if s.input_size and digests.get(s.input_size) == s.input_sha256]
    outputs.sort(key=lambda s: (s.output_size, *s.rank), reverse=True)
    inputs.sort(key=lambda s: (s.input_size, *s.rank), reverse=True)
    return Ancestry(
        digests[size],
        tuple(s.id for s in outputs),
        tuple(s.id for s in inputs),
        exact=bool(outputs) and outputs[0].output_size == size,
        original=bool(inputs) and inputs[0].input_size == size,
    )


def find_compaction(connection: Connection, data: Content, keys: Sequence[str] = ()) -> FoundCompaction | None:
    """Return the compaction that a file belongs to: it is an output, it is an input, it begins with an output, or
    `keys` has a session's key. Compactions that changed something come first, then newer ones."""
    ancestors = ancestry(connection, split_chunks(data))
    if ancestors.exact and not (
        ancestors.original  # it is better known as the input of a compaction that changed it
        and not get_compaction(connection, ancestors.outputs[0]).changed
        and get_compaction(connection, ancestors.inputs[0]).changed
    ):
        return FoundCompaction(ancestors.outputs[0], "output")
    if ancestors.original:
        return FoundCompaction(ancestors.inputs[0], "input")
    if ancestors.outputs:
        return FoundCompaction(ancestors.outputs[0], "begins")
    query = (
        select(rounds.c.compaction)
        .join(sessions, sessions.c.id == rounds.c.session)
        .where(sessions.c.key.in_(keys))
        .order_by(rounds.c.compaction.desc())
        .limit(1)
    )
    newest = connection.execute(query).scalar() if keys else None
    return None if newest is None else FoundCompaction(newest, "session")


def compaction_chain(connection: Connection, id: int) -> list[Archived]:
    """Return a compaction after the rounds that it came from, oldest first. Raises StoreError."""
    last = get_compaction(connection, id)
    earlier = select(compactions.c.id, compactions.c.previous).where(compactions.c.id == id).cte(recursive=True)
    step = select(compactions.c.id, compactions.c.previous).join(earlier, compactions.c.id == earlier.c.previous)
    earlier = earlier.union(step)
    query = select(*_COMPACTION_COLUMNS).join(earlier, compactions.c.id == earlier.c.id).where(compactions.c.id != id)
    return [*(_archived(row) for row in connection.execute(query.order_by(compactions.c.id))), last]


def get_compaction(connection: Connection, id: int) -> Archived:
    """Return a compaction. Raises StoreError for an unknown id."""
    row = connection.execute(select(*_COMPACTION_COLUMNS).where(compactions.c.id == id)).first()
    if row is None:
        raise StoreError(f"the archive has no compaction {id}; see restore --list")
    return _archived(row)


def newest_compactions(connection: Connection, limit: int | None = None) -> list[Archived]:
    """Return the known compactions, newest first."""
    query = select(*_COMPACTION_COLUMNS).order_by(compactions.c.at.desc(), compactions.c.id.desc()).limit(limit)
    return [_archived(row) for row in connection.execute(query)]


def compactions_at_path(connection: Connection, path: str) -> list[Archived]:
    """Return the compactions that read or wrote a path, newest first."""
    columns = compactions.c
    query = select(*_COMPACTION_COLUMNS).where((columns.input_path == path) | (columns.output_path == path))
    return [_archived(row) for row in connection.execute(query.order_by(columns.at.desc(), columns.id.desc()))]


def _archived(row: Any) -> Archived:
    return Archived(
        **{name: getattr(row, name) for name in _OWN},
        input=FileState(row.input_path, row.input_sha256, row.input_size),
        output=FileState(row.output_path, row.output_sha256, row.output_size),
    )


def prefix_digests(pieces: Iterable[bytes], sizes: Iterable[int]) -> dict[int, str]:
    """Return the SHA-256 of the first `size` bytes of the joined pieces, for each size that they reach."""
    sorted_sizes = iter(sorted(set(sizes)))
    digests: dict[int, str] = {}
    hashed, hashed_size = hashlib.sha256(), 0
    size = next(sorted_sizes, None)
    for piece in pieces:
        view, offset = memoryview(piece), 0
        while size is not None and size <= hashed_size + len(piece):
            hashed.update(view[offset : size - hashed_size])
            offset = size - hashed_size
            digests[size] = hashed.copy().hexdigest()
            size = next(sorted_sizes, None)
        hashed.update(view[offset:])
        hashed_size += len(piece)
    if size == 0:
        digests[0] = hashed.hexdigest()
    return digests
