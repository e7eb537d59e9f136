"""Conversations that are one JSON value: `{"messages": [...]}`, a line each or a whole file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compactor_cli.formats.jsonedit import locate
from compactor_cli.formats.jsonl import elements
from compactor_cli.model.message import Path
from compactor_cli.model.transcript import Layout, Record

NAME = "conversations"


@dataclass(frozen=True, slots=True)
class Document:
    """One conversation inside a JSON value: its records' spans and values, and what surrounds them."""

    records: tuple[Record, ...]
    values: tuple[Any, ...]
    layout: Layout
    fixed: int | None = None
    """Index of the record that is a top-level system prompt, when there is one."""


def messages_path(value: Any) -> Path | None:
    """Where a JSON value holds its messages, or None when it is no conversation."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "role" in item for item in value):
        return ()
    for path in (("messages",), ("body", "messages")):
        holder = value
        for key in path:
            holder = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(holder, list) and all(isinstance(item, dict) and "role" in item for item in holder):
            return path
    return None


def split(text: str, value: Any, record: Record) -> Document:
    """Take a conversation apart. `record` is the span of the whole value in the source bytes."""
    path = messages_path(value)
    assert path is not None
    array_start, _ = locate(text, path)
    spans, array_end = elements(text, array_start)
    system = value.get("system") if isinstance(value, dict) and path == ("messages",) else None
    fixed = locate(text, ("system",)) if isinstance(system, (str, list)) and system else None
    marks = sorted({0, len(text), array_start, array_end, *(s for a, b, _ in spans for s in (a, b)), *(fixed or ())})
    to_byte = dict(zip(marks, _byte_offsets(text, marks, record.start), strict=True))
    records = [Record(record.line, to_byte[a], to_byte[b]) for a, b, _ in spans]
    values = [v for _, _, v in spans]
    inner_start = spans[0][0] if spans else array_start + 1
    inner_end = spans[-1][1] if spans else array_end - 1
    separator = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else ", "
    pieces: list[bytes | int | None] = [text[:inner_start].encode(), None, text[inner_end:].encode()]
    if fixed:
        a, b = fixed
        records.insert(0, Record(record.line, to_byte[a], to_byte[b]))
        values.insert(0, {"role": "system", "content": system})
        if a < inner_start:
            pieces = [text[:a].encode(), 0, text[b:inner_start].encode(), *pieces[1:]]
        else:
            pieces = [*pieces[:2], text[inner_end:a].encode(), 0, text[b:].encode()]
    return Document(tuple(records), tuple(values), Layout(tuple(pieces), separator.encode()), 0 if fixed else None)


def _byte_offsets(text: str, marks: Sequence[int], base: int) -> list[int]:
    """Byte offsets of character offsets, in one pass."""
    if text.isascii():
        return [base + mark for mark in marks]
    offsets, at, total = [], 0, base
    for mark in marks:
        total += len(text[at:mark].encode())
        offsets.append(total)
        at = mark
    return offsets
