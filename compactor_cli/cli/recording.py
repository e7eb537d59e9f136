"""What `compact` puts into the database before an output is written: originals, the round, and memories."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compactor_cli.cli.files import real_path, write_bytes
from compactor_cli.cli.memory_use import Bearing
from compactor_cli.cli.session import Session
from compactor_cli.model.archived import FileState, Manifest
from compactor_cli.model.content import Content
from compactor_cli.model.memory import Memory
from compactor_cli.model.report import Compaction, StoredResult
from compactor_cli.model.transcript import Source
from compactor_cli.settings import ArchiveSettings, Settings

if TYPE_CHECKING:
    from compactor_cli.db.database import Database


@dataclass(slots=True)
class Keeper:
    """The database of one run. It is opened when there is something to keep, and never otherwise."""

    session: Session
    settings: Settings
    url: str
    bearing: Bearing = field(init=False)
    """Finds memories that bear on a conversation."""
    _opened: Database | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.bearing = Bearing(self.url, self.settings.memory.recall_count)

    @property
    def archives(self) -> bool:
        return self.settings.archive.enabled

    @property
    def flushes(self) -> bool:
        return self.settings.memory.auto_flush

    def database(self) -> Database:
        """The database, made where there is none. Raises StoreError when it cannot be used."""
        if self._opened is None:
            from compactor_cli.db.database import open_database

            self._opened = open_database(self.url)
        return self._opened

    def recall(self, query: str) -> Sequence[Memory]:
        """The memories that a query finds; none for an empty one."""
        if not query.strip():
            return ()
        from compactor_cli.cli.memory_use import recall

        return recall(self.session, self.url, query, self.settings)

    def keep(
        self, source: Source, data: Content, parts: Sequence[Compaction], place: str, *, changed: bool
    ) -> StoredResult:
        """Keep what the settings ask for, all of it or nothing. After this the output `data` may be written."""
        flushed = self.flushes and changed
        at = time.time()
        memories = [_said_anywhere(memory) for part in parts for memory in part.memories]
        if not self.archives and not memories:
            return StoredResult(flushed=flushed)
        compaction: int | None = None
        new: tuple[Memory, ...] = ()
        known: tuple[Memory, ...] = ()
        manifest = self._manifest(source, data, parts, place) if self.archives else None
        with self.database().write() as connection:
            if manifest is not None:
                from compactor_cli.archive.chunks import cut
                from compactor_cli.archive.stored import archive

                compaction = archive.keep(connection, _anywhere(manifest), cut(source), at)
            if memories:
                from compactor_cli.memory.stored.memories import add

                added = add(connection, memories, at)
                new, known = added.new, added.known
        if compaction is not None and changed:
            evict(self.session, self.database(), self.settings.archive, at)
        # what came out as it went in is noted, so that restore knows it, but there is nothing to be had back
        return StoredResult(compaction if changed else None, new, known, flushed)

    def confirm(self, kept: StoredResult, used: Sequence[Memory]) -> None:
        """Note that the output of what was kept is in its place, and that it has these memories in it."""
        if kept.compaction is None and not used:
            return
        from compactor_cli.archive.stored import archive
        from compactor_cli.errors import StoreError
        from compactor_cli.memory.stored import memories

        try:
            with self.database().write() as connection:
                if kept.compaction is not None:
                    archive.confirm(connection, kept.compaction)
                if used:
                    memories.touch(connection, used, time.time())
        except StoreError as error:
            # the output and its originals are safe; a later look at the file finds out that it was written
            self.session.warn(f"the output is written, but that could not be noted: {error}")

    def write_manifest(self, source: Source, data: Content, parts: Sequence[Compaction], place: str) -> str:
        """Write what was taken away beside the output; returns where that is, or nothing."""
        if place == "-" or (Path(place).exists() and not Path(place).is_file()):
            self.session.warn(f"--manifest: {place} has no place beside it; write to a file with -o")
            return ""
        from compactor_cli.archive.manifest_json import SUFFIX, manifest_text

        write_bytes(place + SUFFIX, manifest_text(self._manifest(source, data, parts, place)), inputs=[source.path])
        return place + SUFFIX

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _manifest(self, source: Source, data: Content, parts: Sequence[Compaction], place: str) -> Manifest:
        from compactor_cli.archive.manifest import manifest_of

        return manifest_of(source, data, parts, place, self.session.counter.name)


def evict(session: Session, database: Database, limits: ArchiveSettings, now: float) -> None:
    """Keep the archive within its limit; it may stay above it for what is too young to go."""
    from compactor_cli.archive.stored import archive

    with database.write() as connection:
        gone = archive.evict(connection, limits.limit_mb * 1_000_000, limits.keep_days, now)
    if gone.compactions:
        session.say(
            f"the archive was over {limits.limit_mb:,} MB: the originals of {gone.compactions} old compactions "
            "were removed from it"
        )
    if gone.over:
        session.warn(
            f"the archive is over its limit of {limits.limit_mb:,} MB: everything in it is younger than "
            f"{limits.keep_days} days; raise archive.limit_mb or lower archive.keep_days"
        )


def _anywhere(manifest: Manifest) -> Manifest:
    """With paths from the root, which mean the same in other folders."""
    return replace(manifest, input=_from_root(manifest.input), output=_from_root(manifest.output))


def _from_root(state: FileState) -> FileState:
    return replace(state, path=_whole(state.path))


def _said_anywhere(memory: Memory) -> Memory:
    """The same of the files that a memory was said in."""
    return replace(memory, sources=tuple(replace(one, transcript=_whole(one.transcript)) for one in memory.sources))


def _whole(path: str) -> str:
    return path if path == "-" else str(real_path(path))
