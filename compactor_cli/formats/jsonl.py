"""Splits the bytes of a JSONL file into records with spans and values, so that every quirk can be reproduced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from math import inf
from operator import attrgetter
from typing import Any, overload

from msgspec import Struct

from compactor_cli.errors import InputError
from compactor_cli.model.content import Content, FileContent
from compactor_cli.model.transcript import Note, Record
from compactor_cli.text.json_values import MAX_DEPTH, is_nested_too_deeply, json_value, utf8_value

BOM = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"
_TOO_DEEP = f"nested too deeply (more than {MAX_DEPTH} levels)"
_KEPT = 64 * 1024 * 1024
"""Total bytes of small records whose values stay in memory; the values of other records are read again when needed."""
_SMALL = 1024
"""Maximum bytes of a small record."""
_LAST_WORD = 6
"""Maximum characters of an unfinished `false`, number or escape at the end of a text that breaks off."""


class RawRecord(Struct, frozen=True):
    """A record and its parsed value. The value is dropped once a format has read it."""

    record: Record
    value: Any


class HeldRecord:
    """A record of content that is too large for memory. Its value is read again on every access."""

    __slots__ = ("_content", "record")

    def __init__(self, record: Record, content: Content) -> None:
        self.record, self._content = record, content

    @property
    def value(self) -> Any:
        return json_value(self._content[self.record.start : self.record.end])


ReadRecord = RawRecord | HeldRecord
FileRecords = tuple[Content, list[ReadRecord]]
"""A file, and the records in it."""
_VALUE: Callable[[ReadRecord], Any] = attrgetter("value")


class RecordValues(Sequence[Any]):
    """The values of records, each taken from its record on access."""

    def __init__(self, records: Sequence[ReadRecord]) -> None:
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Any]:
        return map(_VALUE, self._records)

    @overload
    def __getitem__(self, index: int, /) -> Any: ...

    @overload
    def __getitem__(self, index: slice, /) -> RecordValues: ...

    def __getitem__(self, index: int | slice, /) -> Any:
        return RecordValues(self._records[index]) if isinstance(index, slice) else self._records[index].value


_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks with which UTF-16 text begins."""


class Damage(Struct, frozen=True):
    """A byte span of a line that is not JSON."""

    line: int
    start: int
    end: int
    problem: str
    cut_off: bool = False
    """Whether the text breaks off in the middle of a value, as after the writer was killed."""


def parse(text: str) -> Any:
    """Return the value of one JSON document. Raises InputError with the line of the damage."""
    try:
        return _check_depth(text, json_value(text))
    except RecursionError:
        raise InputError(_TOO_DEEP, line=1) from None
    except json.JSONDecodeError as error:
        message = f"not JSON ({error.msg.removesuffix(' at')} at column {error.colno})"
        raise InputError(message, line=error.lineno) from None
    except ValueError as error:
        raise InputError(str(error), line=1) from None


def _check_depth(text: str | bytes, value: Any) -> Any:
    """Return a value read from a text. Raises RecursionError if it is nested too deeply for later steps."""
    if is_nested_too_deeply(text, value):
        raise RecursionError
    return value


def scan(data: Content) -> Iterator[RawRecord | Damage]:
    """Yield records and damaged stretches in order. Blank lines are skipped, and several records on one line are
    split."""
    start, line = (len(BOM) if data.startswith(BOM) else 0), 0
    size = len(data)
    while start < size:
        line += 1
        end = data.find(b"\n", start)
        end = size if end < 0 else end
        raw, offset = data[start:end].rstrip(b"\r"), start
        record = _plain_record(raw, offset, line)
        if record is None and raw.startswith(b"\0"):  # space that was allocated but never written
            raw, offset = raw.lstrip(b"\0"), start + len(raw) - len(raw.lstrip(b"\0"))
            record = _plain_record(raw, offset, line)
        if record is not None:  # nearly every line
            yield record
        elif raw.strip():
            yield from _scan_line(raw, offset, line)
        start = end + 1


def _plain_record(raw: bytes, start: int, line: int) -> RawRecord | None:
    """Return the single record of a line; None if the line is anything else."""
    try:
        return RawRecord(Record(line, start, start + len(raw)), _check_depth(raw, utf8_value(raw)))
    except (ValueError, RecursionError):
        return None


def _scan_line(raw: bytes, start: int, line: int) -> Iterator[RawRecord | Damage]:
    """Yield the contents of a line that is not a single record."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"invalid UTF-8 at byte {error.start + 1} of the line"
        cut_off = raw.lstrip()[:1] in (b"{", b"[") and error.reason == "unexpected end of data"
        yield Damage(line, start, start + len(raw), message, cut_off)
        return
    try:
        _check_depth(text, json_value(text))
    except RecursionError:
        yield Damage(line, start, start + len(raw), _TOO_DEEP)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            yield from _scan_glued(text, start, line)
        else:
            message = f"not JSON ({error.msg.removesuffix(' at')} at column {error.colno})"
            yield Damage(line, start, start + len(raw), message, _breaks_off(text, error))
    except ValueError as error:  # a number with more digits than Python reads
        yield Damage(line, start, start + len(raw), str(error).partition(";")[0])


def _scan_glued(text: str, start: int, line: int) -> Iterator[RawRecord | Damage]:
    """Yield several JSON values on one line, as left by two concurrent writers."""
    position, offset = 0, start
    while position < len(text):
        skip = len(text) - len(text[position:].lstrip(_BLANK)) - position
        position, offset = position + skip, offset + skip
        if position >= len(text):
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
            _check_depth(text, value)
        except RecursionError:
            yield Damage(line, offset, offset + len(text[position:].encode()), _TOO_DEEP)
            return
        except json.JSONDecodeError as error:
            rest = text[position:]
            cut_off = _breaks_off(rest, json.JSONDecodeError(error.msg, rest, error.pos - position))
            yield Damage(line, offset, offset + len(rest.encode()), f"not JSON after column {position + 1}", cut_off)
            return
        except ValueError as error:
            yield Damage(line, offset, offset + len(text[position:].encode()), str(error).partition(";")[0])
            return
        size = len(text[position:end].encode())
        yield RawRecord(Record(line, offset, offset + size), value)
        position, offset = end, offset + size


def _breaks_off(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether a text is the beginning of a JSON value that ends too soon."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    return error.msg.startswith("Unterminated string") or len(text.rstrip()) - error.pos <= _LAST_WORD


def read_records(data: Content, *, skip_damaged: bool) -> tuple[list[ReadRecord], list[Note]]:
    """Return all records of a JSONL file, and notes on anything unusual.

    A last line that breaks off was left by a killed writer: it is skipped and noted. Other damage raises InputError
    or, with `skip_damaged`, is skipped and noted.
    """
    records: list[ReadRecord] = []
    max_small, max_kept = (_SMALL, _KEPT) if isinstance(data, FileContent) else (inf, inf)
    damages: list[Damage] = []
    notes: list[Note] = []
    for item in scan(data):
        if isinstance(item, Damage):
            damages.append(item)
            continue
        if records and records[-1].record.line == item.record.line:
            notes.append(Note("glued_records", item.record.line, "two records on one line, read as two"))
        size = item.record.end - item.record.start
        if size <= max_small and size <= max_kept:
            records.append(item)
            max_kept -= size
        else:
            records.append(HeldRecord(item.record, data))
    last_end = max((r.record.end for r in records), default=-1)
    for damage in damages:
        if records and damage.cut_off and damage.start >= last_end and damage is damages[-1]:
            notes.append(
                Note("cut_off_line", damage.line, f"{damage.problem}; the last line is truncated and was skipped")
            )
        elif skip_damaged and records:
            notes.append(Note("damaged_line", damage.line, f"{damage.problem}; skipped"))
        else:
            remedy = "fix the line, or skip such lines with --skip-damaged" if records else _likelier(data)
            raise InputError(f"{damage.problem}; {remedy}", line=damage.line)
    return records, sorted(notes, key=lambda note: note.index)


def _likelier(data: Content) -> str:
    """Return a guess at what a file is when none of its lines can be read."""
    if b"\0" in data[:2] or data[:2] in _UTF_16:
        return "it looks like UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"
    return "is this a JSONL transcript?"


def elements(text: str, position: int) -> tuple[list[tuple[int, int, Any]], int]:
    """Return the spans and values of the elements of the JSON array at `text[position]`, and the end of the array."""
    spans: list[tuple[int, int, Any]] = []
    position = skip_blank(text, position + 1)
    while text[position] != "]":
        value, end = _DECODER.raw_decode(text, position)
        spans.append((position, end, value))
        position = skip_blank(text, end)
        if text[position] == ",":
            position = skip_blank(text, position + 1)
    return spans, position + 1


def members(text: str, position: int) -> list[tuple[int, int, int, Any]]:
    """Return (start of the name, start and end of the value, value) for each member at `text[position]`."""
    spans: list[tuple[int, int, int, Any]] = []
    position = skip_blank(text, position + 1)
    while text[position] != "}":
        name = position
        _, end = _DECODER.raw_decode(text, position)
        start = skip_blank(text, skip_blank(text, end) + 1)
        value, end = _DECODER.raw_decode(text, start)
        spans.append((name, start, end, value))
        position = skip_blank(text, end)
        if text[position] == ",":
            position = skip_blank(text, position + 1)
    return spans


def skip_blank(text: str, position: int) -> int:
    """Return the index of the first character at or after `position` that is not JSON white space."""
    while text[position] in _BLANK:
        position += 1
    return position
