"""Files that are compacted and archived, for tests of the archive."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compactor_cli import api
from compactor_cli.archive.manifest import cut_chunks, make_manifest_of
from compactor_cli.archive.stored import archive
from compactor_cli.db.database import Database
from compactor_cli.model.archived import FileState, Manifest, Round
from compactor_cli.model.content import read_all
from compactor_cli.settings import Settings

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ReadyCompaction:
    """A compaction that is ready to be archived."""

    data: bytes
    output: bytes
    manifest: Manifest
    pieces: Sequence[bytes]

    def keep(self, database: Database, at: float = 1_000.0) -> int:
        with database.write() as connection:
            return archive.keep(connection, self.manifest, self.pieces, at)


def compact_file(data: bytes, path: str = "in.jsonl", **settings: Any) -> ReadyCompaction:
    """Compact a file as the command line does."""
    source = api.load(data, path, tokenizer="chars")
    result = api.compact(source, Settings(**settings), tokenizer="chars")
    made = make_manifest_of(source, result.data, result.parts, "out.jsonl", "chars")
    return ReadyCompaction(data, read_all(result.data), made, cut_chunks(source))


def plain_compaction(data: bytes, output: bytes, *, session: str = "", summary: str = "") -> ReadyCompaction:
    """Return a compaction of any bytes, which the archive does not interpret."""
    one = Round(
        conversation=0,
        session=session,
        round=1,
        strategy="rolling",
        summarizer="extractive",
        target=10,
        tokens_before=20,
        tokens_after=10,
        messages_before=4,
        messages_after=2,
        summary=summary,
        compacted=("m1", "m2"),
    )
    made = Manifest(file_state("in.jsonl", data), file_state("out.jsonl", output), "openai-chat", "chars", (one,), ())
    return ReadyCompaction(data, output, made, [data[at : at + 1_000] for at in range(0, len(data), 1_000)])


def file_state(path: str, data: bytes) -> FileState:
    return FileState(path, hashlib.sha256(data).hexdigest(), len(data))


def noise(size: int, seed: int) -> bytes:
    """Return bytes that cannot be compressed."""
    return random.Random(seed).randbytes(size)


def restore_bytes(database: Database, id: int, at: float = 2_000.0) -> bytes:
    with database.write() as connection:
        return read_all(archive.restore(connection, id, at))
