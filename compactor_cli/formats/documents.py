"""Conversations inside JSON documents: a document is a file, a line of one, or an element of a list.

A format says where in a document its records may stand (`Format.lists`). A list may also be written as JSON inside a
string, as data sets do.
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
"""What a file of such documents is called, in the formats that are no agent's own."""
SAMPLE = 200
"""Records of a list, and documents of a file, that are looked at to tell the format."""
_PLAINLY = 0.75
"""Recognition from which on a record is plainly of a format."""


class Slot(NamedTuple):
    """Where a document holds one conversation."""

    path: Path
    """To the list of its records, or to a string that holds that list as JSON."""
    values: Sequence[Any]
    """The records."""
    quoted: bool = False
    """The list is JSON inside a string."""
    system: Path | None = None
    """To a system prompt that stands apart from the records."""
    is_certain: bool = False
    """What stands beside the list tells the format."""
    by_id: bool = False
    """It is an object, whose members are the records."""


class Document(Struct, frozen=True):
    """One conversation of a document: its records' spans and values, and what surrounds them."""

    records: tuple[Record, ...]
    values: tuple[Any, ...]
    layout: Layout
    source: bytes | None = None
    """The bytes that the spans are of, where they are not those of the file."""
    fixed: int | None = None
    """Index of the record that is a system prompt apart from the others, when there is one."""
    path: Path = ()
    """To the list, or the string that holds it."""
    is_certain: bool = False
    """What stands beside the list tells the format."""


def slots(format: Format, value: Any, *, named: bool = False) -> list[Slot]:
    """Return the conversations that a document holds in the eyes of a format; those of its first place that has any.
    `named`: the user says that it is of this format, so that its records need not look like it."""
    matching: list[Slot] = []
    for place in format.lists:
        if place.pick is None and isinstance(value, dict) and not (place.path and place.path[0] in value):
            continue  # most formats' names are not in a document: this is asked for each of many rows
        matching = [slot for slot in _slots_at(value, place) if named or _fits(format, slot)]
        if not matching and place.path and isinstance(value, list):
            rows = place._replace(path=(EACH, *place.path))
            matching = [slot for slot in _slots_at(value, rows) if named or _fits(format, slot)]
        if matching:
            break
    return matching


def with_lists(format: Format, values: Sequence[Any]) -> list[Any]:
    """Return the values in which a format may find a conversation: of objects, as most records are, those that have a
    member named like what holds one."""
    names = {name for place in format.lists for name in (*place.path[:1], *place.picked)}
    return [value for value in values if not (isinstance(value, dict) and names.isdisjoint(value))]


def _fits(format: Format, slot: Slot) -> bool:
    """Return whether a list is a conversation: for the formats that are nobody's own, one of messages with roles, which
    may be empty where a member is named like one. For an agent's own one record that plainly is of it is enough: that
    may be all that is left of a compacted conversation, where what the format does not know all stays."""
    values = slot.values
    if not all(isinstance(value, dict) for value in values):
        return False
    if slot.is_certain:
        return True
    if format.generic:
        return bool(values or slot.path) and all("role" in value for value in values)
    return any(format.recognize(value) >= _PLAINLY for value in values)


def _slots_at(value: Any, place: ListPath) -> Iterator[Slot]:
    held = ((p, value_at(value, p)) for p in place.pick(value)) if place.pick else _resolve(value, place.path, ())
    for path, inner in held:
        holder = value_at(value, path[:-1])
        if place.beside and not (isinstance(holder, dict) and all(key in holder for key in place.beside)):
            continue
        quoted = isinstance(inner, str)
        values = _parsed(inner) if quoted else inner
        by_id = place.by_id and isinstance(values, dict)
        values = list(values.values()) if by_id else values
        if isinstance(values, list):
            system = _system(holder, path, place) if path else None
            yield Slot(path, values, quoted, system, bool(place.beside), by_id)


def _resolve(value: Any, pattern: Path, path: Path) -> Iterator[tuple[Path, Any]]:
    if not pattern:
        yield path, value
    elif pattern[0] == EACH:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from _resolve(item, pattern[1:], (*path, index))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from _resolve(value[pattern[0]], pattern[1:], (*path, pattern[0]))


def _parsed(text: str) -> Any:
    """Return the value of a string that looks like a JSON list of objects."""
    if not text.lstrip().startswith("["):
        return None
    try:
        text.encode()  # half of a surrogate pair has no bytes to point into
        return parse(text)
    except (InputError, UnicodeEncodeError):
        return None


def _system(holder: Any, path: Path, place: ListPath) -> Path | None:
    """Return the first of the members beside a list that holds a system prompt. `holder`: what the list is a member
    of."""
    for key in place.systems:
        prompt = holder.get(key) if isinstance(holder, dict) else None
        if prompt and (isinstance(prompt, (str, list)) or (isinstance(prompt, dict) and "parts" in prompt)):
            return (*path[:-1], key)
    return None


def split(text: str, record: Record, conversations: Sequence[Slot]) -> list[Document]:
    """Take a document apart into its conversations. `record` is its span in the source bytes; put one behind the other,
    the documents are all of it."""
    wanted = [path for slot in conversations for path in (slot.path, slot.system) if path is not None]
    spans = locate_all(text, wanted)
    ordered = sorted(conversations, key=lambda slot: spans[slot.path])
    ends = [_extent(slot, spans)[1] for slot in ordered]
    bounds = [0, *ends[:-1], len(text)]
    offsets = byte_offsets(text, bounds, record.start)
    return [
        _document(text, record.line, slot, spans, (begin, end), offset)
        for slot, begin, end, offset in zip(ordered, bounds, bounds[1:], offsets, strict=False)
    ]


def _extent(slot: Slot, spans: Mapping[Path, tuple[int, int]]) -> tuple[int, int]:
    """From where to where a conversation reaches, with its system prompt."""
    own = [spans[slot.path], *([spans[slot.system]] if slot.system is not None else [])]
    return min(a for a, _ in own), max(b for _, b in own)


def _document(
    text: str, line: int, slot: Slot, spans: Mapping[Path, tuple[int, int]], bounds: tuple[int, int], offset: int
) -> Document:
    """Return the conversation in the stretch of a text from one of `bounds` to the other; its first byte is
    `offset`."""
    start, end = spans[slot.path]
    if slot.by_id:
        return _named(text, line, slot, (start, end), bounds, offset)
    if slot.quoted:
        return _quoted(text, line, slot, (start, end), bounds)
    listed, _ = elements(text, start)
    fixed = spans[slot.system] if slot.system is not None else None
    inner = (listed[0][0], listed[-1][1]) if listed else (start + 1, end - 1)
    separator = text[listed[0][1] : listed[1][0]] if len(listed) > 1 else ", "
    begin, stop = bounds
    marks = sorted({begin, stop, start, end, *(s for a, b, _ in listed for s in (a, b)), *(fixed or ())})
    to_byte = dict(zip(marks, byte_offsets(text, marks, offset), strict=True))
    records = [Record(line, to_byte[a], to_byte[b]) for a, b, _ in listed]
    values = [v for _, _, v in listed]
    pieces: list[bytes | int | None] = [text[begin : inner[0]].encode(), None, text[inner[1] : stop].encode()]
    if fixed:
        a, b = fixed
        records.insert(0, Record(line, to_byte[a], to_byte[b]))
        values.insert(0, {"role": "system", "content": json.loads(text[a:b])})
        if a < inner[0]:
            pieces = [text[begin:a].encode(), 0, text[b : inner[0]].encode(), *pieces[1:]]
        else:
            pieces = [*pieces[:2], text[inner[1] : a].encode(), 0, text[b:stop].encode()]
    layout = Layout(tuple(pieces), separator.encode())
    return Document(tuple(records), tuple(values), layout, None, 0 if fixed else None, slot.path, slot.is_certain)


def _named(text: str, line: int, slot: Slot, span: tuple[int, int], bounds: tuple[int, int], offset: int) -> Document:
    """Return a conversation whose records are the members of an object."""
    found = members(text, span[0])
    first, last = (found[0][0], found[-1][2]) if found else (span[0] + 1, span[1] - 1)
    separator = text[found[0][2] : found[1][0]] if len(found) > 1 else ", "
    name_end = json.JSONDecoder().raw_decode(text, first)[1] if found else first
    colon = text[name_end : found[0][1]] if found else ": "
    begin, stop = bounds
    marks = sorted({begin, stop, first, last, *(at for _, a, b, _ in found for at in (a, b))})
    to_byte = dict(zip(marks, byte_offsets(text, marks, offset), strict=True))
    records = tuple(Record(line, to_byte[a], to_byte[b]) for _, a, b, _ in found)
    pieces = (text[begin:first].encode(), None, text[last:stop].encode())
    names = Names(colon.encode(), to_byte[first], to_byte[last])
    layout = Layout(pieces, separator.encode(), names=names)
    return Document(records, tuple(value for *_, value in found), layout, path=slot.path, is_certain=slot.is_certain)


def _quoted(text: str, line: int, slot: Slot, span: tuple[int, int], bounds: tuple[int, int]) -> Document:
    """Return a conversation whose list is JSON inside a string: its spans are those of the string's value."""
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
