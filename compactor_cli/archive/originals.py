"""Retrieve an original from the file that a compaction read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli.archive.manifest import with_references
from compactor_cli.archive.texts import PREFIX, digest, encode, originals_of
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.archived import Removed
from compactor_cli.model.transcript import Source, Transcript

_MIN_DIGITS = 4
_HEX = re.compile(rf"[0-9a-f]{{{_MIN_DIGITS},64}}")
_MAX_SHOWN = 10


def find_entry(removed: Sequence[Removed], reference: str) -> Removed:
    """Return the entry that a reference names, preferably one with a mark: `ctx_` and hex digits, or the first of these
    digits. Raises UsageError for an invalid, unknown or ambiguous reference."""
    digits = reference.strip().lower().removeprefix(PREFIX)
    if not _HEX.fullmatch(digits):
        raise UsageError(
            f"{reference!r} is not a reference ({PREFIX} and {_MIN_DIGITS} to 64 hex digits); see restore --list"
        )
    matching = [entry for entry in removed if entry.digest.startswith(digits)]
    if not matching:
        raise UsageError(f"no removed content has the reference {PREFIX}{digits}; see restore --list")
    if len({entry.digest for entry in matching}) > 1:
        # entries of different manifests can share a short reference
        names = list(dict.fromkeys(entry.reference for entry in with_references(matching)))
        more = f", and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
        listed = ", ".join(names[:_MAX_SHOWN]) + more
        raise UsageError(f"{PREFIX}{digits} is ambiguous: it may be {listed}; give more digits")
    return next((entry for entry in matching if entry.marked), matching[0])


def original_bytes(source: Source, removed: Removed) -> bytes:
    """Return a text in UTF-8, or the bytes of records, from a compaction's input. Raises InputError if it is not
    there."""
    if removed.conversation < len(source.transcripts):
        transcript = source.transcripts[removed.conversation]
        find = _record_bytes if removed.kind == "records" else _original_text
        content = find(transcript, removed)
        if content is not None and digest([content]) == removed.digest:
            return content
    raise InputError(
        f"does not hold the original of {removed.reference}; is this the file that was compacted?", path=source.path
    )


def _record_bytes(transcript: Transcript, removed: Removed) -> bytes | None:
    if any(record >= len(transcript.records) for record in removed.records):
        return None
    return b"".join(transcript.raw(record) for record in removed.records)


def _original_text(transcript: Transcript, removed: Removed) -> bytes | None:
    for index in removed.messages:
        for part in transcript.messages[index].parts if index < len(transcript.messages) else ():
            for text in originals_of(part):
                content = encode(text)
                if digest([content]) == removed.digest:
                    return content
    return None
