"""Find the archived compactions that a file belongs to, and their originals."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from compactor_cli.cli.files import is_file, is_there
from compactor_cli.cli.session import Session
from compactor_cli.cli.spill import spill_chunks
from compactor_cli.containers import container_for, container_of, unpack
from compactor_cli.errors import InputError, StoreError, UsageError
from compactor_cli.model.content import Content, read_all

if TYPE_CHECKING:
    from compactor_cli.db.database import Database
    from compactor_cli.model.archived import Archived, FoundCompaction, Match
    from compactor_cli.model.transcript import Source

_MAX_NAMED = 5
"""Maximum number of compactions of a path to name, newest first."""
_UNPACKED = (".json", ".jsonl", ".ndjson", ".txt")
"""Endings of file names that rule out compression."""
SURE_MATCHES = ("output", "input", "begins")
"""Kinds of a match by content: the archive holds exactly what this file was."""


class Lookup(Struct, frozen=True):
    """A file and the compactions that it belongs to."""

    file: str
    data: bytes
    """The file in the form that the archive knows: packed or unpacked."""
    match: Match
    compactions: Sequence[Archived]
    """Oldest first: the rounds that led to the file or, if only its session or its marks matched, all rounds of the
    session."""
    stored: bytes = b""

    @property
    def is_sure(self) -> bool:
        return self.match in SURE_MATCHES

    def chosen(self, round: int | None) -> Archived:
        """Return the compaction with this number; for None, the newest that changed something, else the newest."""
        if round is None:
            return next((one for one in reversed(self.compactions) if one.changed), self.compactions[-1])
        if round > len(self.compactions):
            raise UsageError(f"--round {round}: {len(self.compactions)} compactions of it are archived; see --list")
        return self.compactions[round - 1]

    def appended(self, chosen: Archived) -> Content:
        """Return what follows a compaction's output in the file; empty if the file does not begin with it."""
        size = chosen.output.size
        if len(self.data) <= size or hashlib.sha256(self.data[:size]).hexdigest() != chosen.output.sha256:
            return b""
        return self.data[size:]


def look_up(session: Session, database: Database, file: str, data: bytes) -> Lookup | None:
    """Return the compactions of a file, found by its content (packed or not), its session, or its marks; else None."""
    from compactor_cli.archive.stored import archive
    from compactor_cli.archive.texts import references_in

    stored = data
    with database.read() as connection:
        compaction = archive.find_compaction(connection, data)
        if compaction is None:
            for repacked_data in _repacked(data, archive.newest_compactions(connection)):
                if compaction := archive.find_compaction(connection, repacked_data):
                    data = repacked_data
                    break
        if compaction is None and (keys := _session_keys(session, file, data)):
            compaction = archive.find_compaction(connection, data, keys)
        if compaction is None:
            unpacked: Content = data
            with suppress(InputError):
                unpacked = unpack(data)
            marks = {digits[:8] for digits in references_in(read_all(unpacked).decode("utf-8", "replace"))}
            compaction = archive.find_by_marks(connection, marks) if marks else None
        if compaction is None:
            return None
        return Lookup(file, data, compaction.match, _compactions(database, compaction), stored)


def _repacked(data: bytes, archived: Sequence[Archived]) -> Iterator[bytes]:
    """Yield a file's content unpacked, or packed like the outputs in the archive."""
    if container_of(data) is not None:
        with suppress(InputError):  # damaged, or packed twice
            yield read_all(unpack(data))
        return
    kinds = {kind.name: kind for compaction in archived if (kind := container_for(compaction.output.path))}
    for kind in kinds.values():
        if not kind.copies:
            yield kind.pack(data, b"")


def pack_like(data: Content, out_path: str, replaced: Content | None) -> Content:
    """Return restored data packed like the file it replaces, or as the place's name indicates; unchanged if the name
    indicates nothing, and for anything that is not a file."""
    container = container_of(data)
    if container is not None and container.copies:
        return data
    if replaced is not None:
        wanted_container = container_of(replaced)
    else:
        wanted_container = container_for(out_path)
        is_told = wanted_container is not None or out_path.lower().endswith(_UNPACKED)
        if out_path == "-" or not is_told or (is_there(out_path) and not is_file(out_path)):
            return data
    if wanted_container is container:
        return data
    inside = unpack(data)
    return (
        inside if wanted_container is None or wanted_container.copies else wanted_container.pack(read_all(inside), b"")
    )


def same_path_hint(database: Database, file: str) -> str:
    """Return a hint about archived compactions of another file at the same path; empty if there are none."""
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.recording import absolute_path

    with database.read() as connection:
        compactions = archive.compactions_at_path(connection, absolute_path(file)) if file not in ("", "-") else []
    compactions = [compaction for compaction in compactions if compaction.kept]
    if not compactions:
        return ""
    numbers = ", ".join(str(compaction.id) for compaction in compactions[:_MAX_NAMED])
    more = f" and {len(compactions) - _MAX_NAMED:,} more" if len(compactions) > _MAX_NAMED else ""
    are_kept = (
        f"compaction {numbers} is archived" if len(compactions) == 1 else f"compactions {numbers}{more} are archived"
    )
    return (
        f" Of earlier files at this path, {are_kept}: restore --list shows when that was, and --compaction "
        f"{compactions[0].id} -o OTHER restores its input."
    )


def compaction_by_id(database: Database, number: int) -> Lookup:
    from compactor_cli.archive.stored import archive

    with database.read() as connection:
        return Lookup("-", b"", "output", [archive.get_compaction(connection, number)])


def _compactions(database: Database, compaction: FoundCompaction) -> Sequence[Archived]:
    from compactor_cli.archive.stored import archive, rounds

    with database.read() as connection:
        if compaction.match in SURE_MATCHES:
            return archive.compaction_chain(connection, compaction.id)
        ids = {past.compaction for past in rounds.history(connection, ids=[compaction.id])} | {compaction.id}
        return [archive.get_compaction(connection, compaction_id) for compaction_id in sorted(ids)]


def _session_keys(session: Session, file: str, data: bytes) -> Sequence[str]:
    """Return the session keys of a file; empty if it cannot be read or its format has none."""
    from compactor_cli.archive.manifest import session_keys

    try:
        return session_keys(read_again(data, file))
    except InputError as error:
        session.say(f"note: searched for by its bytes only, as it cannot be parsed: {error}")
        return ()


def read_again(data: Content, path: str, format: str = "") -> Source:
    """Read a file again as it was read for its compaction. Token counts do not matter here."""
    from compactor_cli.formats.loading import load
    from compactor_cli.tokens import make_counter

    return load(data, path, make_counter("chars").counter, format=format, skip_damaged=True)


def input_of(database: Database, lookup: Lookup, chosen: Archived) -> Content:
    """Return the input of a compaction and record its use. Raises NotKeptError if it is no longer in the archive."""
    from compactor_cli.archive.stored import archive

    beginning = lookup.data[: chosen.input.size]
    if not chosen.changed and hashlib.sha256(beginning).hexdigest() == chosen.input.sha256:
        return beginning  # an unchanged input is not stored, since it equals the file itself
    try:
        with database.write() as connection:
            return archive.restore(connection, chosen.id, time.time(), spill_chunks)
    except StoreError:
        # if its use cannot be recorded, it may still be readable; otherwise the same error occurs again
        with database.read() as connection:
            return archive.restore(connection, chosen.id, None, spill_chunks)
