"""The database used by a compaction: originals, rounds and memories are stored in it, and memories are recalled."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compactor_cli.cli.databases import existing_database
from compactor_cli.cli.files import is_file, is_there, real_path, write_bytes
from compactor_cli.cli.session import Session
from compactor_cli.memory.recall import RECALLED_ID
from compactor_cli.model.archived import Manifest
from compactor_cli.model.content import Content
from compactor_cli.model.memory import Memory
from compactor_cli.model.report import Compaction, StoredResult
from compactor_cli.model.transcript import Source, Transcript

if TYPE_CHECKING:
    from compactor_cli.db.database import Database
    from compactor_cli.memory.extract import MemoryExtractor

_MAX_CANDIDATES = 30
"""Maximum number of memories to examine for each request; the relevant ones are used."""


@dataclass(slots=True)
class Keeper:
    """The database of one run. It is opened only when there is something to store."""

    session: Session
    recalled: dict[str, Memory] = field(default_factory=dict)
    """All memories found to be relevant to a conversation, by id."""
    _opened: Database | None = field(default=None, init=False)

    @property
    def flushes(self) -> bool:
        return self.session.settings.memory.auto_flush

    @property
    def _url(self) -> str:
        return self.session.reading.database_url

    def database(self) -> Database:
        """Return the database, created if necessary. Raises StoreError if it cannot be used."""
        if self._opened is None:
            from compactor_cli.db.database import open_database

            self._opened = open_database(self._url)
        return self._opened

    def recall(self, query: str) -> Sequence[Memory]:
        """Return the memories that answer a query, best first; empty for an empty query. Warns if there are none.
        Raises StoreError if the database cannot be read."""
        if not query.strip():
            return ()
        with existing_database(self._url) as database:
            if database is None:
                self.session.warn("--recall: there is no memory log yet; create one with compact --flush or memory add")
                return ()
            from compactor_cli.memory.stored import memories

            max_memories = self.session.settings.memory.recall_count
            with database.read() as connection:
                hits = memories.search_memories(connection, query, limit=max_memories, now=time.time())
        if not hits:
            self.session.warn(f"--recall {query!r}: no memory was found")
        return [hit.memory for hit in hits]

    def recall_relevant(self, transcript: Transcript) -> Sequence[Memory]:
        """Return the memories relevant to a conversation, most relevant first. Raises StoreError."""
        from compactor_cli.memory.bearing import relevant_memories, request_sentences

        chosen: dict[str, Memory] = {}
        with existing_database(self._url) as database:
            if database is None:
                return ()
            from compactor_cli.memory.stored import memories

            with database.read() as connection:
                for request in request_sentences(transcript):
                    hits = memories.search_memories(connection, request, limit=_MAX_CANDIDATES, now=time.time())
                    chosen |= {memory.id: memory for memory in relevant_memories([hit.memory for hit in hits], request)}
        self.recalled |= chosen
        return list(chosen.values())[: self.session.settings.memory.recall_count]

    def memory_extractor(self) -> MemoryExtractor:
        """Return what finds the memories of conversations, with the session's model if the settings ask one."""
        from compactor_cli.memory.extract import MemoryExtractor

        session, settings = self.session, self.session.settings
        model = session.find_asker() if settings.asks else None
        if model is not None and session.judge is None:
            from compactor_cli.scoring import make_scorer

            session.judge = make_scorer("classifier", model, settings.memory.prompt)
        return MemoryExtractor(settings, created=time.time(), model=model, judge=session.judge)

    def store(
        self, source: Source, data: Content, parts: Sequence[Compaction], out_path: str, *, changed: bool
    ) -> StoredResult:
        """Store everything that the settings ask for, or nothing. Afterwards the output may be written."""
        archives, flushed = self.session.settings.archive.enabled, self.flushes and changed
        now = time.time()
        memories = [
            replace(memory, sources=tuple(replace(s, transcript=absolute_path(s.transcript)) for s in memory.sources))
            for part in parts
            for memory in part.memories
        ]
        result = StoredResult(flushed=flushed)
        if not archives and not memories:
            return result
        manifest = self._manifest(source, data, parts, out_path) if archives else None
        with self.database().write() as connection:
            if manifest is not None:
                from compactor_cli.archive.manifest import cut_chunks
                from compactor_cli.archive.stored import archive

                states = (replace(state, path=absolute_path(state.path)) for state in (manifest.input, manifest.output))
                before, after = states  # paths that mean the same in other folders
                manifest = replace(manifest, input=before, output=after)
                compaction = archive.keep(connection, manifest, cut_chunks(source), now)
                # an unchanged file is recorded so that restore knows it, but nothing was removed that could be restored
                result = replace(result, compaction=compaction if changed else None)
            if memories:
                from compactor_cli.memory.stored.memories import add_memories

                added = add_memories(connection, memories, now)
                result = replace(result, new=added.new, known=added.known)
        if result.compaction is not None:
            evict(self.session, self.database(), now)
        return result

    def confirm_output(self, stored_result: StoredResult, used: Sequence[Memory]) -> None:
        """Record that an output is in its place and which memories it contains."""
        if stored_result.compaction is None and not used:
            return
        from compactor_cli.archive.stored import archive
        from compactor_cli.errors import StoreError
        from compactor_cli.memory.stored import memories

        try:
            with self.database().write() as connection:
                if stored_result.compaction is not None:
                    archive.confirm(connection, stored_result.compaction)
                if used:
                    memories.mark_used(connection, used, time.time())
        except StoreError as error:
            # the output and its originals are safe; a later look at the file will detect that it was written
            self.session.warn(f"the output was written, but the archive could not record that: {error}")

    def write_manifest(self, source: Source, data: Content, parts: Sequence[Compaction], out_path: str) -> str:
        """Write the manifest of removed parts next to the output. Return its path, or an empty string."""
        if out_path == "-" or (is_there(out_path) and not is_file(out_path)):
            self.session.warn(f"--manifest: no file can be written next to {out_path}; write to a file with -o")
            return ""
        from compactor_cli.archive.manifest_json import SUFFIX, manifest_text

        text = manifest_text(self._manifest(source, data, parts, out_path))
        write_bytes(out_path + SUFFIX, text, inputs=[source.path])
        return out_path + SUFFIX

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _manifest(self, source: Source, data: Content, parts: Sequence[Compaction], out_path: str) -> Manifest:
        from compactor_cli.archive.manifest import make_manifest_of

        return make_manifest_of(source, data, parts, out_path, self.session.counter.name)


def memories_in_output(recalled: Sequence[Memory], parts: Sequence[Compaction]) -> list[Memory]:
    texts = [m.text("text") for part in parts if part.recalled for m in part.messages if m.id == RECALLED_ID]
    return [memory for memory in recalled if any(f", {memory.id}] " in text for text in texts)]


def evict(session: Session, database: Database, now: float) -> None:
    """Keep the archive within its size limit. It may stay larger if its contents are too recent to be removed."""
    from compactor_cli.archive.stored import archive

    limits = session.settings.archive
    with database.write() as connection:
        evicted_count = archive.evict(connection, limits.limit_mb * 1_000_000, limits.keep_days, now)
    if evicted_count.compactions:
        session.say(
            f"the archive was over {limits.limit_mb:,} MB: the originals of {evicted_count.compactions} old "
            "compactions were removed from it"
        )
    if evicted_count.over:
        session.warn(
            f"the archive is over its limit of {limits.limit_mb:,} MB: everything in it is younger than "
            f"{limits.keep_days} days; raise archive.limit_mb or lower archive.keep_days"
        )


def absolute_path(path: str) -> str:
    """Return an absolute path, as stored in the database; `-` is returned unchanged."""
    return path if path == "-" else str(real_path(path))
