"""Putting several records in the place of one: a record may hold a list of what would be records elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from compactor_cli.formats import jsonedit
from compactor_cli.formats.jsonl import RawRecord, elements
from compactor_cli.model.message import Path
from compactor_cli.model.transcript import Record


class Unfolded(NamedTuple):
    """A record that stands in the place of another, and its value."""

    raw: bytes
    value: Any


def put_in(
    data: bytes, records: Sequence[RawRecord], instead: Mapping[int, Sequence[Unfolded]], separator: bytes
) -> tuple[bytes, list[RawRecord]]:
    """The bytes and records of a file with other records in the places of some; what stands between stays."""
    out: list[bytes] = []
    made: list[RawRecord] = []
    length = end = 0
    for at, (record, value) in enumerate(records):
        before = data[end : record.start]
        pieces = instead.get(at, (Unfolded(data[record.start : record.end], value),))
        for number, piece in enumerate(pieces):
            gap = separator if number else before
            out += [gap, piece.raw]
            length += len(gap)
            made.append(RawRecord(Record(record.line, length, length + len(piece.raw)), piece.value))
            length += len(piece.raw)
        end = record.end
    return b"".join([*out, data[end:]]), made


def taken_out(raw: bytes, path: Path) -> tuple[bytes, list[tuple[str, Any]]]:
    """A record with an empty list at `path`, and the elements of the list: their JSON texts and values."""
    text = raw.decode("utf-8")
    items, _ = elements(text, jsonedit.locate(text, path)[0])
    return jsonedit.replace(raw, {path: "[]"}), [(text[start:end], value) for start, end, value in items]


def emptied(value: Any, path: Path) -> Any:
    """A copy of a value with an empty list at `path`."""
    if not path:
        return []
    return {**value, path[0]: emptied(value[path[0]], path[1:])}
