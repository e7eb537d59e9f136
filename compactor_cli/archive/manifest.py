"""Make the manifest of a compaction, split its input into pieces by content, for sharing, and retrieve an original from
the file that a compaction read."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from compactor_cli.archive.removals import removed_entries, repaired_indices
from compactor_cli.archive.texts import MIN_REFERENCE_DIGITS, PREFIX, digest, encode, originals_of
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.archived import FileState, Manifest, Removed, Round
from compactor_cli.model.content import Content, ContentChunks, sha256
from compactor_cli.model.message import by_index
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source, Transcript

_MAX_ID_CHARS = 200
"""Maximum length of a session id that is stored as it is."""
RECORDS_PER_CHUNK = 16
"""A piece ends after about one in this many records, depending on the record's digest."""
MAX_CHUNK_BYTES = 64 * 1024
"""Piece size in bytes; a piece ends after the record that reaches it."""
_MIN_DIGITS = 4
_HEX = re.compile(rf"[0-9a-f]{{{_MIN_DIGITS},64}}")
_MAX_SHOWN = 10


def make_manifest_of(
    source: Source, data: Content, parts: Sequence[Compaction], output_path: str, counter: str
) -> Manifest:
    """Return the manifest of a compaction of `source` into `data`; `parts`: its conversations."""
    before = FileState(source.path, sha256(source.stored), len(source.stored))
    after = FileState(output_path, sha256(data), len(data))
    changed = [(n, part) for n, part in enumerate(parts) if part.changed] if before.sha256 != after.sha256 else []
    sessions = session_names(source)
    removed = [entry for number, part in changed for entry in removed_entries(part, number)]
    return Manifest(
        input=before,
        output=after,
        format=source.transcripts[0].format,
        counter=counter,
        rounds=tuple(_make_round(number, part, sessions[number]) for number, part in changed),
        removed=with_references(removed),
    )


def session_names(source: Source) -> list[str]:
    """Return the session id of each conversation; conversations that share an id get their number appended."""
    times = Counter(t.session_id for t in source.transcripts)
    return [
        f"{t.session_id}#{number}" if t.session_id and times[t.session_id] > 1 else t.session_id
        for number, t in enumerate(source.transcripts)
    ]


def with_references(removed: Sequence[Removed]) -> tuple[Removed, ...]:
    """Return the entries with references: 8 digits, or as many as tell their originals from others."""
    digests = sorted({entry.digest for entry in removed})
    digits = dict.fromkeys(digests, MIN_REFERENCE_DIGITS)
    for first, second in pairwise(digests):
        needed = next(position for position in range(64) if first[position] != second[position]) + 1
        digits[first], digits[second] = max(digits[first], needed), max(digits[second], needed)
    return tuple(replace(entry, reference=PREFIX + entry.digest[: digits[entry.digest]]) for entry in removed)


def _make_round(number: int, part: Compaction, session: str) -> Round:
    summaries = [m.text("text") for m in part.messages if m.index < 0 and m.origin == "summary"]
    return Round(
        conversation=number,
        session=session,
        round=max(1, part.round),
        strategy=part.plan.strategy if part.plan else "none",
        summarizer=part.summarizer,
        target=part.target,
        tokens_before=part.before.tokens,
        tokens_after=part.tokens,
        messages_before=len(part.before.messages),
        messages_after=len(part.messages),
        summary="\n\n".join(summaries),
        compacted=_changed_ids(part),
    )


def _changed_ids(part: Compaction) -> tuple[str, ...]:
    """Return the ids of input messages that the output does not contain unchanged."""
    out = by_index(part.messages)
    mended = repaired_indices(part)
    ids = []
    for message in part.before.messages:
        index = mended.get(message.index)
        output_message = out.get(index) if index is not None else None
        if output_message is None or output_message.parts != message.parts:
            ids.append(message.id)
    return tuple(ids)


def session_keys(source: Source) -> tuple[str, ...]:
    """Return the session keys of a file's conversations whose format provides a session id."""
    pairs = zip(source.transcripts, session_names(source), strict=True)
    return tuple(id_key(transcript.format, name) for transcript, name in pairs if name)


def id_key(format: str, session: str) -> str:
    if len(session) > _MAX_ID_CHARS:  # longer keys do not fit an index
        session = digest([encode(session)])
    return f"id:{format}:{session}"


def content_key(manifest: Manifest, round: Round) -> str:
    """Return the key of a session without an id and without known history: its initial content."""
    number = f"#{round.conversation}" if round.conversation else ""
    return f"content:{manifest.input.sha256}{number}"


def cut_chunks(source: Source) -> ContentChunks:
    """Return a file in pieces. Borders are before records, and only a record itself decides whether a piece ends after
    it, so that the same records are split alike in every file. A packed file is split at fixed sizes."""
    if source.packed:
        return ContentChunks(source.packed, range(MAX_CHUNK_BYTES, len(source.packed), MAX_CHUNK_BYTES))
    data = source.data
    spans = sorted((record.start, record.end) for transcript in source.transcripts for record in transcript.records)
    borders: list[int] = []
    begin = 0
    for (start, end), (following, _) in pairwise(spans):
        ends_chunk = hashlib.sha256(data[start:end]).digest()[0] % RECORDS_PER_CHUNK == 0
        if ends_chunk or following - begin >= MAX_CHUNK_BYTES:
            borders.append(following)
            begin = following
    return ContentChunks(data, borders)


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
