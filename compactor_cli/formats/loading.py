"""Loads a transcript from bytes: the Source with its records, format, conversations and messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from compactor_cli.containers import unpack
from compactor_cli.errors import InputError
from compactor_cli.formats import FORMATS, choose, closest_formats, documents, format_of_all, second_format
from compactor_cli.formats.base import Counter, Format, Reading, fit
from compactor_cli.formats.copies import value_at
from compactor_cli.formats.jsonl import BOM, HeldRecord, RawRecord, ReadRecord, RecordValues, parse, read_records
from compactor_cli.formats.roles import list_roles
from compactor_cli.formats.trees import in_appended_order, replacements_on_path
from compactor_cli.formats.turns import with_typed_apart
from compactor_cli.model.content import Content, FileContent, FileText, read_all
from compactor_cli.model.message import Message, Place
from compactor_cli.model.transcript import Layout, Note, Record, Source, Transcript

_PARQUET = b"PAR1"
_MAX_SHOWN_CHARS = 1024
"""Minimum characters of a text that is kept in the file instead of in memory."""
_WINDOW = 65_536
_INK = re.compile(rb"\S")
"""Finds the first byte that is not white space, without copying the file."""
_FOLDER_KEYS = ("cwd", "directory", "workingDirectory", "working_directory")
_MAX_FOLDER_RECORDS = 50
"""Number of records searched for the folder that the session works in."""
_DEPTH = 3
"""Levels of nested objects that are searched for it."""


class _HoldingCounter:
    """A counter that also stores texts of content too large for memory: a part refers to its place in the file."""

    def __init__(self, counter: Counter, content: FileContent) -> None:
        self._counter, self._content = counter, content
        self.per_message, self.per_image = counter.per_message, counter.per_image

    def count(self, text: str) -> int:
        return self._counter.count(text)

    def hold(self, text: str) -> str | FileText:
        """Return the text itself if it is short, otherwise a reference to its place in the file."""
        return text if len(text) < _MAX_SHOWN_CHARS else self._content.store_text(text)


class _OtherRole(NamedTuple):
    line: int
    role: str
    words: str


def load(data: Content, path: str, counter: Counter, *, format: str = "", skip_damaged: bool = False) -> Source:
    """Read a transcript file, packed or not. Raises InputError with the line for anything unreadable."""
    try:
        inside = unpack(data)
        source = _load(inside, path, counter, format, skip_damaged)
        return source if inside is data else replace(source, packed=data)
    except InputError as error:
        raise error.at(path) from error


def _load(data: Content, path: str, counter: Counter, format: str, skip_damaged: bool) -> Source:
    if _first_nonblank(data, len(BOM) if data.startswith(BOM) else 0) < 0:
        raise InputError("the file is empty; is this the transcript you meant?")
    if data.startswith(_PARQUET):
        raise InputError("a Parquet file, which only `compact` reads; save its rows as JSON lines first")
    document = _whole_document(data)
    records, notes = ([document], []) if document else read_records(data, skip_damaged=skip_damaged)
    counter = _HoldingCounter(counter, data) if isinstance(data, FileContent) else counter
    if not records:
        raise InputError("contains no records", line=1)
    values = _values(records)
    inner = _format_inside(values, "" if format == documents.NAME else format)
    if inner is not None:
        return _load_documents(data, path, counter, records, notes, inner, is_named=bool(format))
    if format == documents.NAME:
        raise InputError('no {"messages": [...]} on this line; see --format', line=records[0].record.line)
    chosen = choose(values, format)
    recognized = frozenset(n for n, v in enumerate(values) if chosen.recognize(v)) if not format else frozenset()
    stray = second_format(chosen, values, recognized) if not format else None
    if stray:
        chosen, stray = (better, None) if (better := format_of_all(values)) else (chosen, stray)
        recognized = frozenset()
    if stray:
        index, first_name, second_name = stray
        line = records[index].record.line
        raise InputError(
            f"two formats in one file: {first_name} up to here, {second_name} from here; split the file", line=line
        )
    layout, text = _jsonl_layout(data, notes), data
    unfolded = chosen.unfold(data, records, layout.separator)
    if unfolded is not None:
        text, records = unfolded
        values, recognized = _values(records), frozenset()
    reading = chosen.read(values, counter)
    if order := _appended_order(reading, len(records)):
        records = [records[number] for number in order]
        values, recognized = _values(records), frozenset()
        reading = chosen.read(values, counter)
    spans = tuple(item.record for item in records)
    if not format:
        recognized |= {record for record, *_ in reading.other_roles}  # recognized by the records around them
        _leave_out_strangers(reading, chosen, values, recognized)
    transcript = _transcript(text, path, chosen, spans, layout, reading, session_folder_in(values))
    if not transcript.messages and _fits_nothing(chosen, values):
        hint = f" ({closest})" if (closest := closest_formats(values)) and not format else ""
        raise InputError(f"no messages in this {chosen.name} file{hint}; --format names another", line=spans[0].line)
    if _is_compacted(transcript, chosen, unfolded=unfolded is not None):
        notes = [*notes, *_note_history(transcript, by_format=reading.outside is not None)]
    notes = [*notes, *_note_roles(_other_roles(reading, spans))]
    return Source(path, chosen.name, data, (replace(transcript, notes=tuple(notes)),), notes=tuple(notes))


def _appended_order(reading: Reading, count: int) -> list[int] | None:
    """Return a new order of the records in which those on the path through a tree follow each other as they grew.
    Records are written and relinked in this order. None if the present order will do."""
    path_last = reading.branch_last and bool(reading.branch)
    if list(reading.branch) == sorted(reading.branch) and not (path_last and reading.branch[-1] < count - 1):
        return None
    return in_appended_order(reading.branch, count, path_last=path_last)


def _leave_out_strangers(
    reading: Reading, own_format: Format, values: Sequence[Any], known: frozenset[int], *, is_alone: bool = False
) -> None:
    """Drop messages whose records no format recognizes, even if the file's own format can read them, so that these
    records pass through. If such a record were all that is left of a session, its format could not be detected.
    `known`: records that need not be recognized. `is_alone`: only the file's own format counts."""
    if len(known) == len(values):
        return
    formats = [own_format] if is_alone else [own_format, *FORMATS.may_know(values)]
    recognized = [
        any(r in known or any(known_format.recognize(values[r]) for known_format in formats) for r in message.records)
        for message in reading.messages
    ]
    if not all(recognized):
        kept_messages = [m for m, is_recognized in zip(reading.messages, recognized, strict=True) if is_recognized]
        new = {message.index: index for index, message in enumerate(kept_messages)}
        reading.messages = [replace(message, index=index) for index, message in enumerate(kept_messages)]
        reading.owners = {record: new[owner] for record, owner in reading.owners.items() if owner in new}


def _fits_nothing(format: Format, values: Sequence[Any]) -> bool:
    """Return whether a file without messages is not even in this format; a session may have no messages yet."""
    return sum(format.recognize(value) >= 1 for value in values) < len(values) / 2


def _values(records: Sequence[ReadRecord]) -> Sequence[Any]:
    """Return the values of records. Those too large for memory are read on access."""
    is_file_backed = any(isinstance(item, HeldRecord) for item in records)
    return RecordValues(records) if is_file_backed else [item.value for item in records]


def _first_nonblank(data: Content, start: int) -> int:
    """Return the position of the first byte at or after `start` that is not white space; -1 if there is none."""
    if isinstance(data, bytes):
        match = _INK.search(data, start)
        return match.start() if match else -1
    for offset in range(start, len(data), _WINDOW):
        if match := _INK.search(data[offset : offset + _WINDOW]):
            return offset + match.start()
    return -1


def _whole_document(data: Content) -> RawRecord | None:
    """Return a file that is one JSON document spread over several lines, or None."""
    first = _first_nonblank(data, len(BOM) if data.startswith(BOM) else 0)
    line_end = data.find(b"\n", first) if first >= 0 else -1
    if first < 0 or line_end < 0 or data[first : first + 1] not in (b"{", b"[") or _first_nonblank(data, line_end) < 0:
        return None
    if data[first:line_end].rstrip()[-1:] not in (b"{", b"[", b",", b":"):
        return None  # a first line with another ending can be a record of its own
    try:
        text = read_all(data).removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError:
        return None
    value = parse(text)
    return RawRecord(Record(1, first, first + len(text.strip().encode())), value)


def _jsonl_layout(data: Content, notes: Sequence[Note]) -> Layout:
    """Return a layout with the file's own byte order mark, line ending and final newline."""
    first = data.find(b"\n")
    newline = b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"
    cut_off = any(note.kind == "cut_off_line" for note in notes)
    tail = newline if data.endswith(b"\n") or cut_off else b""
    return Layout((BOM if data.startswith(BOM) else b"", None, tail), newline)


def _transcript(
    data: Content, path: str, format: Format, records: tuple[Record, ...], layout: Layout, reading: Reading, folder: str
) -> Transcript:
    messages, owners = with_typed_apart(reading.messages, reading.owners)
    by_record = {record: message.index for message in messages for record in message.records}
    copied = replacements_on_path(reading.links, reading.branch)
    copies = {copy: by_record[record] for copy, record in copied.items() if record in by_record}
    return Transcript(
        path=path,
        format=format.name,
        source=data,
        records=records,
        messages=tuple(messages),
        layout=layout,
        owners={**copies, **owners},
        links=tuple(reading.links),
        copies=frozenset((*reading.copies, *copies)),
        outside=frozenset(reading.outside or ()),
        message_records=frozenset(by_record),
        session_id=reading.session_id,
        folder=folder,
    )


def _note_history(transcript: Transcript, *, by_format: bool) -> list[Note]:
    """Return a note about records before a compaction boundary, which are outside the context. `by_format`: the
    format says which of these the agent does not need. If there are none, the rest were kept for the agent's sake,
    and no note is made."""
    # a system prompt is sent wherever it is
    first = min((m.records[0] for m in transcript.messages if m.role != "system"), default=0)
    skipped = first - sum(m.records[0] < first for m in transcript.messages if m.role == "system")
    if not skipped or (by_format and not any(record < first for record in transcript.outside)):
        return []
    detail = f"{skipped:,} records before the last compaction are no longer in the context"
    return [Note("outside_context", transcript.records[first].line, detail)]


def _other_roles(reading: Reading, records: Sequence[Record]) -> list[_OtherRole]:
    """Return line, role and meaning of the messages whose role the format's API does not know."""
    read = {record for message in reading.messages for record in message.records} if reading.other_roles else set()
    return [_OtherRole(records[index].line, role, words) for index, role, words in reading.other_roles if index in read]


def _note_roles(found: Sequence[_OtherRole]) -> list[Note]:
    """Return one note about messages whose roles the format's API does not know."""
    return [Note("other_roles", found[0].line, list_roles((role.role, role.words) for role in found))] if found else []


def _is_compacted(transcript: Transcript, format: Format, *, unfolded: bool) -> bool:
    """Return whether the context begins with a compaction. In formats where the boundary is a message, retained
    history may precede it."""
    pinned = [m.pinned for m in transcript.messages if m.role != "system"]
    return unfolded or (any(pinned) and (pinned[0] or format.boundary_is_message))


def _format_inside(values: Sequence[Any], name: str) -> Format | None:
    """Return the format of the conversations inside documents: the named one, or the one that recognizes most of
    their contents. None if each value is a record."""
    if name and name not in FORMATS:
        choose([], name)  # raises UsageError for an unknown name
    scores: dict[str, float] = {}
    sample = values[: documents.SAMPLE]
    for candidate in [FORMATS[name]] if name else FORMATS.may_know(sample):
        inner_slots = [
            slot for value in documents.having_lists(candidate, sample) for slot in documents.slots(candidate, value)
        ]
        if inner_slots:
            # a separate system prompt at this format's place speaks for the format
            has_system = any(slot.system is not None for slot in inner_slots)
            certain = any(slot.is_certain for slot in inner_slots)
            heads = [value for slot in inner_slots for value in slot.values[: documents.SAMPLE]]
            scores[candidate.name] = 2 * certain + has_system + fit(candidate, heads)
    if name and not scores and not any(FORMATS[name].recognize(value) for value in values):
        inner_slots = [slot for value in values for slot in documents.slots(FORMATS[name], value, is_named=True)]
        return FORMATS[name] if inner_slots else None
    return FORMATS[max(scores, key=lambda candidate: scores[candidate])] if scores else None


def _load_documents(
    data: Content,
    path: str,
    counter: Counter,
    records: Sequence[ReadRecord],
    notes: list[Note],
    inner: Format,
    *,
    is_named: bool,
) -> Source:
    transcripts: list[Transcript] = []
    starts: list[int] = []
    ends = [0]
    first: list[bool] = []
    other_roles: list[_OtherRole] = []
    for item in records:
        slots = documents.slots(inner, item.value) or documents.slots(inner, item.value, is_named=is_named)
        if not slots:
            message = "two formats in one file: this document holds no conversation, but others do; split the file"
            raise InputError(message, line=item.record.line)
        text = data[item.record.start : item.record.end].decode("utf-8")
        split = documents.split(text, item.record, slots)
        for document in split:
            around = (data, path, inner, document, item.value, counter)
            transcript, roles = _document_transcript(*around, is_named=is_named)
            transcripts.append(transcript)
            other_roles += roles
        starts += [item.record.start, *([item.record.end] * (len(split) - 1))]
        ends += [item.record.end] * len(split)
        first += [True, *([False] * (len(split) - 1))]
    if not any(t.messages for t in transcripts):
        raise InputError("no messages in this file", line=1)
    joints = tuple(data[a:b] for a, b in zip(ends, [*starts, len(data)], strict=True))
    if any(note.kind in ("damaged_line", "cut_off_line", "glued_records") for note in notes):
        # other bytes than white space are between the conversations: put each on its own line
        layout = _jsonl_layout(data, notes)
        tail = layout.pieces[-1]
        between = (layout.separator if begins else b"" for begins in first[1:])
        joints = (joints[0] if not joints[0].strip() else b"", *between, b"")
        joints = (*joints[:-1], tail if isinstance(tail, bytes) else b"")
    name = documents.NAME if inner.generic else inner.name
    return Source(path, name, data, tuple(transcripts), joints, (*notes, *_note_roles(other_roles)))


def _document_transcript(
    data: Content,
    path: str,
    format: Format,
    document: documents.Document,
    value: Any,
    counter: Counter,
    *,
    is_named: bool,
) -> tuple[Transcript, list[_OtherRole]]:
    """Return the conversation of a document, and its messages whose role the format's API does not know."""
    in_list = format.own_documents and isinstance(value, list)
    holder = value_at(value, document.path[:1]) if in_list else value
    reading = format.read(document.values, counter, holder)
    if order := _appended_order(reading, len(document.records)):
        records, values = (tuple(known[i] for i in order) for known in (document.records, document.values))
        document = replace(document, records=records, values=values)
        reading = format.read(document.values, counter, holder)
    if not (is_named or document.is_certain or format.generic):  # in generic formats, the roles suffice
        fixed = frozenset(() if document.fixed is None else (document.fixed,))
        _leave_out_strangers(reading, format, document.values, fixed, is_alone=True)
    if document.fixed is not None:
        reading.messages = [_move_to_root(m) if document.fixed in m.records else m for m in reading.messages]
    source = data if document.source is None else document.source
    folder = session_folder_in(document.values, value)
    transcript = _transcript(source, path, format, document.records, document.layout, reading, folder)
    other_roles = _other_roles(reading, document.records)
    return replace(transcript, counted=format.counted(value, document.path, transcript.messages)), other_roles


def _move_to_root(message: Message) -> Message:
    """Return the top-level system prompt with paths relative to its own record, which is the value rather than
    `{content}`."""
    parts = tuple(
        replace(p, place=Place(p.place.record, p.place.path[1:], p.place.encoding)) if p.place else p
        for p in message.parts
    )
    return replace(message, parts=parts)


def session_folder_in(records: Sequence[Any], document: Any = None) -> str:
    """Return the folder that the session works in, from the first record that states it or else from the surrounding
    document; empty if none does. The path is absolute and unchanged."""
    for index in range(min(_MAX_FOLDER_RECORDS, len(records))):
        if path := _path_in(records[index], _DEPTH):
            return path
    return _path_in(document, _DEPTH)


def _path_in(value: Any, depth: int) -> str:
    if not isinstance(value, Mapping):
        return ""
    for key in _FOLDER_KEYS:
        path = value.get(key)
        if isinstance(path, str) and (path.startswith("/") or path[1:3] in (":\\", ":/")):
            return path
    inner = (_path_in(item, depth - 1) for item in value.values()) if depth > 1 else ()
    return next(filter(None, inner), "")
