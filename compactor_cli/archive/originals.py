"""One original out of the file that a compaction read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli.archive.manifest import with_references
from compactor_cli.archive.texts import PREFIX, digest, encode, originals_of
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.archived import Removed
from compactor_cli.model.transcript import Source, Transcript

_FEWEST = 4
"""Hex digits that a reference needs at least."""
_HEX = re.compile(rf"[0-9a-f]{{{_FEWEST},64}}")
_SHOWN = 10
"""References that are listed where one is ambiguous."""


def find(removed: Sequence[Removed], reference: str) -> Removed:
    """Return the entry that a reference names: `ctx_` and hex digits, or some of the first digits alone.

    Of entries with the same original, one that a mark leads to. Raises UsageError for a reference that is none,
    that names nothing, or that names several originals.
    """
    digits = reference.strip().lower().removeprefix(PREFIX)
    if not _HEX.fullmatch(digits):
        raise UsageError(
            f"{reference!r} is no reference: it is {PREFIX} and {_FEWEST} to 64 hex digits; see restore --list"
        )
    matching = [entry for entry in removed if entry.digest.startswith(digits)]
    if not matching:
        raise UsageError(f"nothing that was removed has the reference {PREFIX}{digits}; see restore --list")
    if len({entry.digest for entry in matching}) > 1:
        # entries of several manifests may have the same short reference
        names = list(dict.fromkeys(entry.reference for entry in with_references(matching)))
        listed = ", ".join(names[:_SHOWN]) + (f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        raise UsageError(f"{PREFIX}{digits} is ambiguous: it may be {listed}; give more digits")
    return next((entry for entry in matching if entry.marked), matching[0])


def original(source: Source, removed: Removed) -> bytes:
    """Return what an entry stands for: the text in UTF-8, or the bytes of its records one behind the other.

    `source` is the input of the compaction, read again. Raises InputError when it does not hold the original.
    """
    if removed.conversation < len(source.transcripts):
        transcript = source.transcripts[removed.conversation]
        content = _records(transcript, removed) if removed.kind == "records" else _text(transcript, removed)
        if content is not None and digest([content]) == removed.digest:
            return content
    raise InputError(
        f"does not hold the original of {removed.reference}; is this the file that was compacted?", path=source.path
    )


def _records(transcript: Transcript, removed: Removed) -> bytes | None:
    if any(record >= len(transcript.records) for record in removed.records):
        return None
    return b"".join(transcript.raw(record) for record in removed.records)


def _text(transcript: Transcript, removed: Removed) -> bytes | None:
    for index in removed.messages:
        for part in transcript.messages[index].parts if index < len(transcript.messages) else ():
            for text in originals_of(part):
                content = encode(text)
                if digest([content]) == removed.digest:
                    return content
    return None
