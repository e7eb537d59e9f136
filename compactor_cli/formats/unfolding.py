"""Replaces one record by several, when a record holds a list of what would otherwise be separate records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import FileRecords, HeldRecord, RawRecord, ReadRecord, elements
from compactor_cli.model.content import Content, join_chunks
from compactor_cli.model.message import Path
from compactor_cli.model.transcript import Record


class Unfolded(NamedTuple):
    """A record that replaces another one, and its value."""

    raw: bytes
    value: Any


def replace_records(
    data: Content, records: Sequence[ReadRecord], replacements: Mapping[int, Sequence[Unfolded]], separator: bytes
) -> FileRecords:
    """Return the bytes and records of a file with some records replaced by others; the bytes between them stay."""
    chunks: list[bytes | slice] = []
    new_records: list[tuple[Record, ReadRecord | Unfolded]] = []
    length = end = 0
    for index, item in enumerate(records):
        gap_before = slice(end, item.record.start)
        for number, piece in enumerate(replacements.get(index, (item,))):
            gap = separator if number else gap_before
            raw = piece.raw if isinstance(piece, Unfolded) else slice(item.record.start, item.record.end)
            chunks += [gap, raw]
            start = length + _length(gap)
            length = start + _length(raw)
            new_records.append((Record(item.record.line, start, length), piece))
        end = item.record.end
    chunks.append(slice(end, len(data)))
    new_data = join_chunks(data, (data[chunk] if isinstance(chunk, slice) else chunk for chunk in chunks))
    return new_data, [
        HeldRecord(span, new_data) if isinstance(p, HeldRecord) else RawRecord(span, p.value) for span, p in new_records
    ]


def _length(chunk: bytes | slice) -> int:
    return int(chunk.stop - chunk.start) if isinstance(chunk, slice) else len(chunk)


def extract_list(raw: bytes, path: Path) -> tuple[bytes, list[tuple[str, Any]]]:
    """Return a record with the list at `path` emptied, and the former elements as JSON texts with values."""
    text = raw.decode("utf-8")
    items, _ = elements(text, jsonedit.locate(text, path)[0])
    return jsonedit.replace(raw, {path: "[]"}), [(text[start:end], value) for start, end, value in items]


def with_empty_list(value: Any, path: Path) -> Any:
    """Return a copy of a value with an empty list at `path`."""
    if not path:
        return []
    return {**value, path[0]: with_empty_list(value[path[0]], path[1:])}
