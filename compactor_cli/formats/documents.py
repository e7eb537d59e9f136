"""Conversations inside JSON documents. A document is a file, a line of a file, or an element of a list.

Each format says where a document may hold its records (`Format.lists`). The list may also be JSON inside a string,
as in some data sets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from compactor_cli.errors import InputError
from compactor_cli.formats.base import EACH, Format, ListPath
from compactor_cli.formats.copies import value_at
from compactor_cli.formats.jsonedit import locate_all
from compactor_cli.formats.jsonl import elements, members, parse
from compactor_cli.model.message import Path
from compactor_cli.model.transcript import Layout, Names, Record, Wrapper

NAME = "conversations"
"""The name for a file of such documents in formats that belong to no particular agent."""
SAMPLE = 200
"""Number of a list's records, and of a file's documents, that are examined to detect the format."""
_PLAINLY = 0.75
"""Minimum recognition for a record to be clearly in a format."""


class Slot(NamedTuple):
    """Where a document holds one conversation."""

    path: Path
    """Path to the list of records, or to a string that holds the list as JSON."""
    values: Sequence[Any]
    """The records."""
    quoted: bool = False
    """Whether the list is JSON inside a string."""
    system: Path | None = None
    """Path to a system prompt stored outside the records."""
    is_certain: bool = False
    """Whether the members next to the list identify the format."""
    by_id: bool = False
    """Whether the records are the members of an object."""


class Document(Struct, frozen=True):
    """One conversation of a document: the spans and values of its records, and what surrounds them."""

    records: tuple[Record, ...]
    values: tuple[Any, ...]
    layout: Layout
    source: bytes | None = None
    """The bytes that the spans refer to, if they are not the file's."""
    fixed: int | None = None
    """Index of the record that is a separate system prompt, if there is one."""
    path: Path = ()
    """Path to the list, or to the string that holds it."""
    is_certain: bool = False
    """Whether the members next to the list identify the format."""


def slots(format: Format, value: Any, *, is_named: bool = False) -> list[Slot]:
    """Return the conversations that a format finds in a document, at the first of its places that has any. `is_named`:
    the user named this format, so its records need not be recognized."""
    matching: list[Slot] = []
    for list_path in format.lists:
        if list_path.pick is None and isinstance(value, dict) and not (list_path.path and list_path.path[0] in value):
            continue  # most rows lack the member, and this check runs for every row
        matching = [slot for slot in _slots_at(value, list_path) if is_named or _fits(format, slot)]
        if not matching and list_path.path and isinstance(value, list):
            rows = list_path._replace(path=(EACH, *list_path.path))
            matching = [slot for slot in _slots_at(value, rows) if is_named or _fits(format, slot)]
        if matching:
            break
    return matching


def having_lists(format: Format, values: Sequence[Any]) -> list[Any]:
    """Return the values in which a format may find a conversation. An object needs a member with the name of one
    that can hold a conversation."""
    names = {name for list_path in format.lists for name in (*list_path.path[:1], *list_path.picked)}
    return [value for value in values if not (isinstance(value, dict) and names.isdisjoint(value))]


def _fits(format: Format, slot: Slot) -> bool:
    """Return whether a list is a conversation. For generic formats: messages with roles, or an empty list under a
    name of the format. For an agent's own format, one clearly recognized record is enough, since a compacted
    conversation may consist mostly of records unknown to the format."""
    values = slot.values
    if not all(isinstance(value, dict) for value in values):
        return False
    if slot.is_certain:
        return True
    if format.generic:
        return bool(values or slot.path) and all("role" in value for value in values)
    return any(format.recognize(value) >= _PLAINLY for value in values)


def _slots_at(value: Any, list_path: ListPath) -> Iterator[Slot]:
    picked = ((p, value_at(value, p)) for p in (list_path.pick(value) if list_path.pick else ()))
    found_values = picked if list_path.pick else _resolve(value, list_path.path, ())
    for path, inner in found_values:
        holder = value_at(value, path[:-1])
        if list_path.beside and not (isinstance(holder, dict) and all(key in holder for key in list_path.beside)):
            continue
        quoted = isinstance(inner, str)
        values = _parse_string(inner) if quoted else inner
        by_id = list_path.by_id and isinstance(values, dict)
        values = list(values.values()) if by_id else values
        if isinstance(values, list):
            system = _system(holder, path, list_path) if path else None
            yield Slot(path, values, quoted, system, bool(list_path.beside), by_id)


def _resolve(value: Any, pattern: Path, path: Path) -> Iterator[tuple[Path, Any]]:
    if not pattern:
        yield path, value
    elif pattern[0] == EACH:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from _resolve(item, pattern[1:], (*path, index))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from _resolve(value[pattern[0]], pattern[1:], (*path, pattern[0]))


def _parse_string(text: str) -> Any:
    """Return the value of a string that looks like a JSON list of objects."""
    if not text.lstrip().startswith("["):
        return None
    try:
        text.encode()  # an unpaired surrogate has no bytes to point into
        return parse(text)
    except (InputError, UnicodeEncodeError):
        return None


def _system(holder: Any, path: Path, list_path: ListPath) -> Path | None:
    """Return the path of the first member next to a list that holds a system prompt. `holder`: the object that
    contains the list."""
    for key in list_path.systems:
        prompt = holder.get(key) if isinstance(holder, dict) else None
        if prompt and (isinstance(prompt, (str, list)) or (isinstance(prompt, dict) and "parts" in prompt)):
            return (*path[:-1], key)
    return None


def split(text: str, record: Record, conversations: Sequence[Slot]) -> list[Document]:
    """Split a document into its conversations. `record` is the document's span in the source bytes. Joined in order,
    the results cover the whole document."""
    slot_paths = [path for slot in conversations for path in (slot.path, slot.system) if path is not None]
    spans = locate_all(text, slot_paths)
    ordered = sorted(conversations, key=lambda slot: spans[slot.path])
    slot_ends = [_extent(slot, spans)[1] for slot in ordered]
    bounds = [0, *slot_ends[:-1], len(text)]
    offsets = byte_offsets(text, bounds, record.start)
    return [
        _document(text, record.line, slot, spans, (start, end), offset)
        for slot, start, end, offset in zip(ordered, bounds, bounds[1:], offsets, strict=False)
    ]


def _extent(slot: Slot, spans: Mapping[Path, tuple[int, int]]) -> tuple[int, int]:
    """Return the start and end of a conversation, including its system prompt."""
    slot_spans = [spans[slot.path], *([spans[slot.system]] if slot.system is not None else [])]
    return min(a for a, _ in slot_spans), max(b for _, b in slot_spans)


def _document(
    text: str, line: int, slot: Slot, spans: Mapping[Path, tuple[int, int]], bounds: tuple[int, int], offset: int
) -> Document:
    """Return the conversation between `bounds` in a text. `offset`: byte offset of its first character."""
    start, end = spans[slot.path]
    if slot.by_id:
        return _member_document(text, line, slot, (start, end), bounds, offset)
    if slot.quoted:
        return _string_document(text, line, slot, (start, end), bounds)
    spans_of_records, _ = elements(text, start)
    fixed = spans[slot.system] if slot.system is not None else None
    inner = (spans_of_records[0][0], spans_of_records[-1][1]) if spans_of_records else (start + 1, end - 1)
    separator = text[spans_of_records[0][1] : spans_of_records[1][0]] if len(spans_of_records) > 1 else ", "
    lower, upper = bounds
    marks = sorted({lower, upper, start, end, *(s for a, b, _ in spans_of_records for s in (a, b)), *(fixed or ())})
    to_byte = dict(zip(marks, byte_offsets(text, marks, offset), strict=True))
    records = [Record(line, to_byte[a], to_byte[b]) for a, b, _ in spans_of_records]
    values = [v for _, _, v in spans_of_records]
    pieces: list[bytes | int | None] = [text[lower : inner[0]].encode(), None, text[inner[1] : upper].encode()]
    if fixed:
        a, b = fixed
        records.insert(0, Record(line, to_byte[a], to_byte[b]))
        values.insert(0, {"role": "system", "content": json.loads(text[a:b])})
        if a < inner[0]:
            pieces = [text[lower:a].encode(), 0, text[b : inner[0]].encode(), *pieces[1:]]
        else:
            pieces = [*pieces[:2], text[inner[1] : a].encode(), 0, text[b:upper].encode()]
    layout = Layout(tuple(pieces), separator.encode())
    return Document(tuple(records), tuple(values), layout, None, 0 if fixed else None, slot.path, slot.is_certain)


def _member_document(
    text: str, line: int, slot: Slot, span: tuple[int, int], bounds: tuple[int, int], offset: int
) -> Document:
    """Return a conversation whose records are the members of an object."""
    member_spans = members(text, span[0])
    first, last = (member_spans[0][0], member_spans[-1][2]) if member_spans else (span[0] + 1, span[1] - 1)
    separator = text[member_spans[0][2] : member_spans[1][0]] if len(member_spans) > 1 else ", "
    name_end = json.JSONDecoder().raw_decode(text, first)[1] if member_spans else first
    colon = text[name_end : member_spans[0][1]] if member_spans else ": "
    start, end = bounds
    marks = sorted({start, end, first, last, *(position for _, a, b, _ in member_spans for position in (a, b))})
    to_byte = dict(zip(marks, byte_offsets(text, marks, offset), strict=True))
    records = tuple(Record(line, to_byte[a], to_byte[b]) for _, a, b, _ in member_spans)
    pieces = (text[start:first].encode(), None, text[last:end].encode())
    names = Names(colon.encode(), to_byte[first], to_byte[last])
    layout = Layout(pieces, separator.encode(), names=names)
    return Document(records, tuple(v for *_, v in member_spans), layout, path=slot.path, is_certain=slot.is_certain)


def _string_document(text: str, line: int, slot: Slot, span: tuple[int, int], bounds: tuple[int, int]) -> Document:
    """Return a conversation whose list is JSON inside a string. Its spans refer to the string's value."""
    literal = text[span[0] : span[1]]
    inner = json.loads(literal)
    (document,) = split(inner, Record(line, 0, len(inner)), [Slot((), slot.values)])
    wrapper = Wrapper(text[bounds[0] : span[0]].encode(), literal.encode(), text[span[1] : bounds[1]].encode())
    layout = Layout(document.layout.pieces, document.layout.separator, wrapper)
    return Document(
        document.records, document.values, layout, inner.encode(), path=slot.path, is_certain=slot.is_certain
    )


def byte_offsets(text: str, marks: Sequence[int], base: int) -> list[int]:
    """Return the byte offsets of ascending character offsets, in one pass. `base`: the byte offset of the first."""
    if text.isascii():
        return [base + mark - marks[0] for mark in marks]
    offsets, position, total = [], marks[0], base
    for mark in marks:
        total += len(text[position:mark].encode())
        offsets.append(total)
        position = mark
    return offsets
