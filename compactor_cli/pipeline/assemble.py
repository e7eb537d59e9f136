"""Plan and summaries -> the output: messages in time order, and the bytes of the file.

Untouched records are written with their original bytes. In changed records (a shortened body, a removed parent),
only the changed values are replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from operator import itemgetter
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Format
from compactor_cli.formats.copies import find_at
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message, Part, Path, Role
from compactor_cli.model.plan import Plan
from compactor_cli.model.transcript import Link, Transcript, Wrapper
from compactor_cli.pipeline.alternation import separate_turns
from compactor_cli.pipeline.rewritten_records import update_children, updated_counts
from compactor_cli.pipeline.write_summaries import Summary

_BEFORE_SUMMARIES = -2


class Output(Struct, frozen=True):
    """The output as bytes and as messages."""

    data: bytes
    messages: tuple[Message, ...]
    removed: tuple[int, ...]
    outside: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(message.tokens for message in self.messages)


class Inserted(Struct, frozen=True):
    """A message that is not part of the plan, and the index of the transcript's message before which it is inserted;
    the number of messages stands for the end."""

    message: Message
    before: int


class _Item(NamedTuple):
    """One record of the output: an input record if `record` is set, otherwise a new one for `message`."""

    order: tuple[int, int, int]
    record: int | None
    message: Message | None = None


def assemble(
    transcript: Transcript,
    groups: Sequence[Group],
    plan: Plan,
    summaries: Sequence[Summary],
    format: Format,
    inserted: Inserted | None = None,
    *,
    drop_outside: bool = False,
    make_turn: Callable[[Role], Message] | None = None,
) -> Output:
    """Apply a plan to a transcript. `make_turn`: makes a turn between two of the same role, if they need one."""
    kept = _kept_messages(transcript, groups, plan)
    items = _items(transcript, kept, summaries, groups, inserted)
    if drop_outside:
        items = [item for item in items if item.record not in transcript.outside]
    if make_turn is not None:
        items = _separate(items, make_turn)
    edited = _edits_by_record(kept.values())
    fixed = {piece for piece in transcript.layout.pieces if isinstance(piece, int)}
    body = [item for item in items if item.record not in fixed]
    records, changed = _render(transcript, body, edited, format)
    if format.children_path is not None and format.parent_path is not None:
        records, listed = update_children(records, format.parent_path, format.children_path)
        changed |= {record for index in listed if (record := body[index].record) is not None}
    changes = {
        piece: format.edits(transcript.raw(piece), edited[piece])
        for piece in transcript.layout.pieces
        if isinstance(piece, int) and piece in edited
    }
    data = lay_out(transcript, records, changes)
    seen = {item.record for item in items if item.record is not None}
    removed = sorted({r for r in range(len(transcript.records)) if r not in seen} | changed | set(edited))
    outside = sorted(transcript.outside) if drop_outside else ()
    return Output(data, _messages(items), tuple(removed), tuple(outside))


def _kept_messages(transcript: Transcript, groups: Sequence[Group], plan: Plan) -> dict[int, Message]:
    """Return index -> message as it is in the output."""
    kept: dict[int, Message] = {}
    for decision in plan.decisions:
        if decision.rendition in ("whole", "shortened"):
            kept.update({i: transcript.messages[i] for i in groups[decision.group].messages})
        for edit in decision.edits:
            message = kept[edit.message]
            parts = list(message.parts)
            old = parts[edit.part]
            kind = "text" if old.kind == "image" else old.kind
            parts[edit.part] = Part(
                kind, edit.text, edit.tokens, old.place, old.name, old.call_id, old.failed, edited=True
            )
            tokens = message.tokens - old.tokens + edit.tokens
            kept[edit.message] = replace(message, parts=tuple(parts), tokens=tokens)
    return kept


def _items(
    transcript: Transcript,
    kept: dict[int, Message],
    summaries: Sequence[Summary],
    groups: Sequence[Group],
    inserted: Inserted | None,
) -> list[_Item]:
    """Return the records of the output in time order; added records are next to the neighbour that they belong to."""
    of_messages = {record for message in transcript.messages for record in message.records}
    repaired_away = transcript.message_records - of_messages
    items = []
    for message in kept.values():
        for record in message.records:
            order = (record, 0, 0) if message.after is None else (message.after, 1, message.index)
            items.append(_Item(order, record, message))
        if not message.records:
            items.append(_Item((message.after or 0, 1, message.index), None, message))
    for record in range(len(transcript.records)):
        if record in of_messages or record in repaired_away:
            continue
        owner = transcript.owners.get(record)
        shortened = record in transcript.copies and owner in kept and any(p.edited for p in kept[owner].parts)
        if owner is None or (owner in kept and not shortened):
            items.append(_Item((record, 0, 0), record))
    for summary in summaries:  # at the first message that it replaces
        first = transcript.messages[groups[summary.slot.groups[0]].messages[0]]
        items.append(_Item(_order_before(first, first.index - 1), None, summary.message))
    if inserted is not None:
        at_end = inserted.before >= len(transcript.messages)
        order = (
            (len(transcript.records), 0, 0)
            if at_end
            else _order_before(transcript.messages[inserted.before], _BEFORE_SUMMARIES)
        )
        items.append(_Item(order, None, inserted.message))
    return _tip_last(transcript, sorted(items, key=itemgetter(0)))  # by `order`


def _separate(items: Sequence[_Item], make_turn: Callable[[Role], Message]) -> list[_Item]:
    """Return the records with separating turns between turns of the same role."""
    turns = iter(separate_turns([item.message for item in items if item.message is not None], make_turn))
    separated: list[_Item] = []
    for item in items:
        if item.message is None:
            separated.append(item)
            continue
        *before, message = next(turns)
        separated += [_Item(item.order, None, turn) for turn in before]
        separated.append(item._replace(message=message))
    return separated


def _tip_last(transcript: Transcript, items: Sequence[_Item]) -> list[_Item]:
    """Return the records with the last message behind other branches' records that preceded the leaf."""
    main = {record for record, link in enumerate(transcript.links) if link and not link.chain}
    leaf = max(main, default=0)
    side_records = {record for record, link in enumerate(transcript.links[:leaf]) if link and link.chain}
    tip = max((index for index, item in enumerate(items) if item.message is not None), default=0)
    return [*items[:tip], *sorted(items[tip:], key=lambda item: item.record not in side_records)]


def _order_before(message: Message, number: int) -> tuple[int, int, int]:
    """Return the order of an item right before a message. Several such items are ordered by their numbers."""
    return (message.records[0], -1, number) if message.after is None else (message.after, 1, number)


def _edits_by_record(messages: Iterable[Message]) -> dict[int, list[tuple[Part, str]]]:
    edited: dict[int, list[tuple[Part, str]]] = {}
    for message in messages:
        for part in message.parts:
            if part.edited and part.place is not None:
                edited.setdefault(part.place.record, []).append((part, part.text))
    return edited


def _render(
    transcript: Transcript, items: Sequence[_Item], edited: dict[int, list[tuple[Part, str]]], format: Format
) -> tuple[list[bytes], set[int]]:
    """Return the bytes of each record, and the records whose parent link, number or count had to change."""
    rendered: list[bytes] = []
    relinked: set[int] = set()
    counts = updated_counts(transcript, [(item.record, item.message) for item in items], format)
    written = {link.id for i in items if i.record is not None and (link := _link(transcript, i.record))}
    known = {link.id for link in transcript.links if link}
    lost_ids = known - written
    latest: dict[str, str] = {}
    parents: dict[str, str] = {}
    extended: set[str] = set()
    first_new_id = ""
    seen: set[int] = set()
    for item in items:
        if item.record in seen:
            continue  # a record that holds a call and its result stands for two messages
        if item.record is None:
            assert item.message is not None
            template = _envelope(transcript, item)
            chain = link.chain if (link := _link(transcript, template)) else ""
            value = format.new_record(item.message, _record_context(transcript, item, template, latest.get(chain, "")))
            text = jsonedit.dump(value)
            written_as = text.encode("utf-8")
            numbered = _number(written_as, format.number_path, len(rendered) + 1)
            rendered.append(jsonedit.replace(written_as, numbered) if numbered else written_as)
            first_new_id = first_new_id or _id(value)
            if format.parent_path is not None:
                latest[chain] = _id(value)
                extended.add(chain)
            continue
        seen.add(item.record)
        raw = transcript.raw(item.record)
        changes = format.edits(raw, edited[item.record]) if item.record in edited else {}
        texts = len(changes)
        link = _link(transcript, item.record)
        if link is not None and format.parent_path is not None:
            lost = link.parent in lost_ids
            # after an added record, no record starts a new chain
            root = not link.parent and link.chain in extended and f'"{format.parent_path[-1]}"'.encode() in raw
            if ((link.parent and (lost or link.chain in extended)) or root) and link.chain in latest:
                changes[format.parent_path] = parents[link.id] = jsonedit.encode(latest[link.chain])
            elif link.parent and lost:
                changes[format.parent_path] = parents[link.id] = "null"
            extended.discard(link.chain)
            latest[link.chain] = link.id
        elif item.record in transcript.copies and (moved := _moved_along(raw, parents, format.parent_path)):
            changes |= moved
        elif format.tip_path is not None and (tip := _tip(raw, format.tip_path, lost_ids)):
            changes[format.tip_path] = jsonedit.encode(_nearest(transcript, tip, written) or first_new_id or None)
        changes |= _number(raw, format.number_path, len(rendered) + 1) | counts.get(item.record, {})
        if len(changes) > texts:
            relinked.add(item.record)
        rendered.append(jsonedit.replace(raw, changes) if changes else raw)
    return rendered, relinked


def _moved_along(raw: bytes, parents: Mapping[str, str], path: Path | None) -> dict[Path, str]:
    """Return the edit that gives a copy of a record the same new parent as the record."""
    if not parents or path is None or f'"{path[-1]}"'.encode() not in raw:
        return {}
    parent = parents.get(_id(json.loads(raw)))
    return {path: parent} if parent else {}


def _number(raw: bytes, path: Path | None, number: int) -> dict[Path, str]:
    """Return the edit that sets a record's number to its place in the output, if it differs."""
    if path is None:
        return {}
    text = raw.decode("utf-8")
    try:
        start, end = jsonedit.locate(text, path)
    except KeyError:
        return {}  # a record of a kind that is not numbered
    return {} if text[start:end] == str(number) else {path: str(number)}


def _id(value: Any) -> str:
    """Return the id of a record, wherever its format stores it."""
    info = value.get("info")
    return str(value.get("uuid") or value.get("id") or (info.get("id") if isinstance(info, dict) else None) or "")


def _tip(raw: bytes, path: Path, lost_ids: Set[str]) -> str:
    """Return the record that a record names as the end of a chain, if that record is gone."""
    if not lost_ids or f'"{path[-1]}"'.encode() not in raw:
        return ""
    value = find_at(json.loads(raw), path)
    return value if isinstance(value, str) and value in lost_ids else ""


def _nearest(transcript: Transcript, lost: str, written: Set[str]) -> str | None:
    """Return the last remaining record before a lost one, or the first remaining one after it."""
    ids = [link.id for link in transcript.links if link and not link.chain]
    index = ids.index(lost) if lost in ids else 0
    return next((candidate for candidate in [*reversed(ids[:index]), *ids[index:]] if candidate in written), None)


def _link(transcript: Transcript, record: int) -> Link | None:
    return transcript.links[record] if record < len(transcript.links) else None


def _envelope(transcript: Transcript, item: _Item) -> int:
    """Return the record to use as a model for a new one: the nearest one that holds a message."""
    index = min(max(item.order[0], 0), len(transcript.records) - 1)
    if index in transcript.message_records or not transcript.message_records:
        return index
    earlier = [record for record in transcript.message_records if record < index]
    return max(earlier) if earlier else min(transcript.message_records)


def _record_context(transcript: Transcript, item: _Item, template: int, parent: str) -> Around:
    assert item.message is not None
    template_value = json.loads(transcript.raw(template))
    text = f"{item.order}{item.message.id}{item.message.parts[0].text}"
    key = hashlib.sha256(f"{transcript.session_id}{text}".encode("utf-8", "surrogatepass")).hexdigest()
    return Around(transcript, template_value if isinstance(template_value, dict) else {}, parent, key)


def lay_out(transcript: Transcript, records: Sequence[bytes], changes: Mapping[int, Mapping[Path, str]]) -> bytes:
    """Return the bytes of a conversation with these records. `changes`: edits of the records with a fixed place."""
    layout = transcript.layout
    pieces: list[bytes] = []
    for piece in layout.pieces:
        if piece is None:
            if layout.names is not None:  # members of an object, with their ids as keys
                records = [jsonedit.encode(_id(json.loads(r))).encode() + layout.names.colon + r for r in records]
            pieces.append(layout.separator.join(records))
        elif isinstance(piece, int):
            raw = transcript.raw(piece)
            pieces.append(jsonedit.replace(raw, changes[piece]) if changes.get(piece) else raw)
        else:
            pieces.append(piece)
    return _wrap(layout.wrapper, b"".join(pieces))


def _wrap(wrapper: Wrapper | None, text: bytes) -> bytes:
    """Return a conversation's text as the JSON string that contained it, if one did."""
    if wrapper is None:
        return text
    literal = jsonedit.encode(text.decode("utf-8"), wrapper.literal.decode("utf-8"))
    return wrapper.before + literal.encode("utf-8") + wrapper.after


def _messages(items: Sequence[_Item]) -> tuple[Message, ...]:
    """Return the messages of the output in order. A message of several records is at the position of its first."""
    messages: list[Message] = []
    seen: set[int] = set()
    for item in items:
        if item.message is None:
            continue
        if item.message.index >= 0:
            if item.message.index in seen:
                continue
            seen.add(item.message.index)
        messages.append(item.message)
    return tuple(messages)
