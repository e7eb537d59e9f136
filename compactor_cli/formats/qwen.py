"""Qwen Code sessions: a tree of records with Gemini API contents.

The context is the path from the root to the last record. A `chat_compression` record on it holds the history that
replaces everything before it. Other branches and replaced records pass through. Such a record is read as if its list
were empty and each content followed as a record of its own. This means the same to the agent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.copies import equal_copies, find_at, shortened_copies
from compactor_cli.formats.gemini_parts import edit_part, new_part, read_parts, split_request
from compactor_cli.formats.jsonl import FileRecords, ReadRecord, RecordValues
from compactor_cli.formats.turns import add_request, turn_role
from compactor_cli.formats.unfolding import Unfolded, extract_list, replace_records, with_empty_list
from compactor_cli.formats.values import inner, numbers_in, sum_of, uuid_text, word
from compactor_cli.model.content import Content
from compactor_cli.model.message import Message, Part, Path, Role
from compactor_cli.model.transcript import Link
from compactor_cli.summary_text.headers import is_summary
from compactor_cli.text.times import parse_time

_TYPES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool_result": "user"}
ENVELOPE = ("sessionId", "cwd", "version", "gitBranch")
"""Members that each record of a session repeats."""
_UNSENT_TYPES = frozenset(("realtime_message", "code_mode_tool_result"))
_TELLING = ("ui_telemetry", "_snapshot")
"""Suffixes of `subtype` for records that only report on the agent."""
_ARTIFACT_TYPE = "session_artifact"
"""Prefix of `subtype` for records that are not steps of the conversation and never its end."""
_OFF = "off the path"
"""The chain of records off the agent's path; their parents do not affect the other records."""
_HOOK = "<qwen:"
"""Prefix of parts that the agent's hooks add after the user's words."""
_FAILED = {"success": False, "error": True, "cancelled": True}
HISTORY = ("systemPayload", "compressedHistory")
_ENVELOPE = ("sessionId", "cwd", "version", "gitBranch", "timestamp")


class Qwen(Format):
    name = "qwen"
    title = "Qwen Code sessions"
    adjacent_results = False
    parent_path = ("parentUuid",)
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or not {"uuid", "parentUuid", "sessionId"} <= value.keys():
            return 0.0
        message, kind = value.get("message"), word(value, "type")
        if isinstance(message, dict) and isinstance(message.get("parts"), list):
            return 1.0 if kind in _TYPES or kind == "system" else 0.8
        return 1.0 if kind == "system" and "systemPayload" in value and "message" not in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, ids = Builder(counter), CallIds()
        walk = _walk(values)
        path = _since_compression(values, walk)
        commands = _local_commands(values, path)
        pieces: dict[tuple[str, str], int] = {}
        for record in path:
            value = values[record]
            if record not in commands:
                _read_record(build, value, record, ids, pieces)
        if path and history_of(values[path[0]]) is not None:
            _stands_for_more(build, values, walk, path[0])
        on_path = frozenset(walk)
        links = _links(values, on_path)
        session = next((word(value, "sessionId") for value in values if word(value, "sessionId")), "")
        owners = _owners(values, path, build.messages)
        return Reading(build.messages, owners, links, outside=_records_outside(values, walk, path), session_id=session)

    usage_words = (b'"usageMetadata"',)

    def usage(self, value: Any) -> int | None:
        counts = value.get("usageMetadata")
        # whether candidates include thoughts depends on the provider; the total has one meaning
        return sum_of(counts, "totalTokenCount") or sum_of(counts, "promptTokenCount", "candidatesTokenCount")

    def counts(self, value: Any) -> list[Path]:
        return numbers_in(value.get("usageMetadata"), ("usageMetadata",))

    def unfold(self, data: Content, records: Sequence[ReadRecord], separator: bytes) -> FileRecords | None:
        return unfold(data, records, _walk(RecordValues(records)), separator)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = dict(edit_part(part, text) for part, text in edited if part.place)
        copy = next((text for part, text in edited if part.kind == "tool_result"), None)
        if copy is not None and b'"toolCallResult"' in raw:
            value = json.loads(raw)
            result = value.get("toolCallResult")
            changes |= _response_copies(value, edited)
            if isinstance(result, dict) and result.get("resultDisplay") is not None:
                changes |= shortened_copies(result["resultDisplay"], ("toolCallResult", "resultDisplay"), copy)
        return changes

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        key, part = around.key, message.parts[0]
        role = "model" if message.role == "assistant" else "user"
        kind = "assistant" if role == "model" else "tool_result" if part.kind == "tool_result" else "user"
        return {
            "uuid": uuid_text(key),
            "parentUuid": around.parent or None,
            **{name: template[name] for name in ENVELOPE if name in template},
            "timestamp": template.get("timestamp"),
            "type": kind,
            "message": {"role": role, "parts": [new_part(part)]},
        }


def _records_outside(values: Sequence[Any], walk: Sequence[int], path: Sequence[int]) -> set[int]:
    """Return records on other branches or before the compression, and those that only report on the agent. The
    user's first message stays because it names the session in lists, and the last record because the agent starts
    from it."""
    first = next((record for record in walk if word(values[record], "type") == "user"), -1)
    sent = {*path, first}
    unsent = {record for record, value in enumerate(values) if word(value, "type") in _TYPES and record not in sent}
    reports = {record for record, value in enumerate(values) if word(value, "subtype").endswith(_TELLING)}
    return (unsent | reports) - set(walk[-1:])


def _links(values: Sequence[Any], on_path: frozenset[int]) -> list[Link | None]:
    """Return the id and parent of each record. If a record is split into pieces, the agent follows the parent of the
    first."""
    seen: set[str] = set()
    links: list[Link | None] = []
    for record, value in enumerate(values):
        uuid = word(value, "uuid")
        is_repeated = uuid in seen or not uuid
        links.append(None if is_repeated else Link(uuid, word(value, "parentUuid"), "" if record in on_path else _OFF))
        seen.add(uuid)
    return links


def _walk(values: Sequence[Any]) -> list[int]:
    """Return the records on the path from the root to the end of the conversation. Records with equal ids are pieces of
    one.

    Where a parent is missing, the path continues with the newest earlier record in a part not visited yet. The agent
    bridges such gaps this way; a rewind is not a gap.
    """
    records = [r for r, v in enumerate(values) if word(v, "uuid") and not word(v, "subtype").startswith(_ARTIFACT_TYPE)]
    first: dict[str, int] = {}
    pieces: dict[str, list[int]] = {}
    for record in records:
        uuid = values[record]["uuid"]
        first.setdefault(uuid, record)
        pieces.setdefault(uuid, []).append(record)
    parents = {uuid: word(values[record], "parentUuid") for uuid, record in first.items()}
    roots: dict[str, str] = {}
    walked: list[str] = []
    seen: set[str] = set()
    current = values[records[-1]]["uuid"] if records else ""
    while current and current not in seen:
        seen.add(current)
        walked.append(current)
        parent = parents[current]
        if parent and parent not in first:
            roots = roots or _roots(parents)
            walked_roots = {roots[uuid] for uuid in walked}
            parent_ids = [values[record]["uuid"] for record in records if record < first[current]]
            parent = next((uuid for uuid in reversed(parent_ids) if roots[uuid] not in walked_roots), "")
            parent = "" if values[first[current]].get("subtype") == "rewind" else parent
        current = parent
    return sorted(record for uuid in walked for record in pieces[uuid])


def _roots(parents: dict[str, str]) -> dict[str, str]:
    """Return id -> id of the root of its connected part."""
    roots: dict[str, str] = {}
    for uuid in parents:
        trail: dict[str, None] = {}
        current = uuid
        while current not in roots and current not in trail and parents[current] in parents:
            trail[current] = None
            current = parents[current]
        roots.update(dict.fromkeys([*trail, current], roots.get(current, current)))
    return roots


def _since_compression(values: Sequence[Any], path: list[int]) -> list[int]:
    backwards = range(len(path) - 1, -1, -1)
    return path[next((index for index in backwards if history_of(values[path[index]]) is not None), 0) :]


def _local_commands(values: Sequence[Any], path: list[int]) -> set[int]:
    """Return messages that the user typed for the agent itself: a following record says that they were not sent."""
    commands: set[int] = set()
    latest = -1
    for record in path:
        value = values[record]
        if value.get("subtype") == "slash_command":
            payload = inner(value, "systemPayload")
            local = payload.get("phase") == "result" and payload.get("sentToModel") is not True
            if latest >= 0 and local and _words(values[latest]) == payload.get("rawCommand"):
                commands.add(latest)
            latest = -1
        elif value.get("type") != "system":
            latest = record if value.get("type") == "user" and not value.get("subtype") else -1
    return commands


def _words(value: dict[str, Any]) -> str | None:
    """Return the text of a record that consists of a single text part; else None."""
    parts = _parts_of(value)
    return word(parts[0], "text") if isinstance(parts, list) and len(parts) == 1 else None


def _parts_of(value: dict[str, Any]) -> Any:
    return inner(value, "message").get("parts")


def _read_record(
    build: Builder, value: dict[str, Any], record: int, ids: CallIds, pieces: dict[tuple[str, str], int]
) -> None:
    kind, subtype = word(value, "type"), word(value, "subtype")
    if kind not in _TYPES or subtype in _UNSENT_TYPES:
        return
    parts = read_parts(build, _parts_of(value), ("message", "parts"), record, ids)
    parts = [_mark_status(part, value) for part in parts]
    if not parts:
        return
    piece = (word(value, "uuid"), kind)
    if piece in pieces:
        build.extend(pieces[piece], parts, record)
        return
    role, origin = turn_role(_TYPES[kind], parts)
    if origin == "request" and (subtype == "notification" or _only_hooks(parts) or _is_nobodys(value)):
        origin = "injected"
    time = parse_time(value.get("timestamp"))
    if origin == "request":
        words, files = split_request(parts)
        pieces[piece] = add_request(build, words, files, (record,), id=piece[0], timestamp=time)
    else:
        pieces[piece] = build.add(role, parts, (record,), id=piece[0], timestamp=time, origin=origin)


def _is_nobodys(value: dict[str, Any]) -> bool:
    """Return whether a record says that the agent itself wrote it, for example to continue with a goal."""
    return word(value, "provenance") not in ("", "real_user")


def _response_copies(value: dict[str, Any], edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
    """Return the changes to the parts that repeat a result in its original form."""
    old_texts = [(find_at(value, part.place.path), text) for part, text in edited if part.place]
    path = ("toolCallResult", "responseParts")
    return equal_copies(find_at(value, path), path, {old: text for old, text in old_texts if isinstance(old, str)})


def _only_hooks(parts: list[Part]) -> bool:
    return all(part.kind == "text" and part.text.startswith(_HOOK) for part in parts)


def _mark_status(part: Part, value: dict[str, Any]) -> Part:
    """Return a result with its success as stated in the record."""
    if part.kind != "tool_result" or part.failed is not None:
        return part
    return replace(part, failed=_FAILED.get(word(value.get("toolCallResult"), "status")))


def _stands_for_more(build: Builder, values: Sequence[Any], walk: Sequence[int], start: int) -> None:
    """Mark the first message of a compressed history as a summary, unless it is ours or was there before."""
    first = build.messages[0] if build.messages else None
    if first is None or first.role != "user" or is_summary(first.text("text")):
        return
    message = values[first.records[0]].get("message")
    if not any(values[record].get("message") == message for record in walk if record < start):
        build.messages[0] = replace(first, origin="summary", pinned=True)


def _owners(values: Sequence[Any], path: list[int], messages: list[Message]) -> dict[int, int]:
    """Assign telemetry records to the call or answer right before them."""
    by_record = {record: m.index for m in messages for record in m.records}
    owners: dict[int, int] = {}
    latest: int | None = None
    for record in path:
        latest = by_record.get(record, latest)
        if latest is not None and record not in by_record and values[record].get("subtype") == "ui_telemetry":
            owners[record] = latest
    return owners


def history_of(value: Any) -> list[Any] | None:
    """Return the contents that replace everything before a record; None for other records."""
    history = inner(value, *HISTORY[:1]).get(HISTORY[1]) if word(value, "subtype") == "chat_compression" else None
    return history if isinstance(history, list) else None


def unfold(data: Content, records: Sequence[ReadRecord], walk: Sequence[int], separator: bytes) -> FileRecords | None:
    """Return a session with the history of its last compression split into records; None if there is none."""
    last = next((index for index in reversed(walk) if history_of(records[index].value) is not None), None)
    if last is None or not all(isinstance(content, dict) for content in history_of(records[last].value) or [None]):
        return None
    record, value = records[last].record, records[last].value
    head, items = extract_list(data[record.start : record.end], HISTORY)
    pieces = [Unfolded(head, with_empty_list(value, HISTORY))]
    parent = word(value, "uuid")
    for index, (text, content) in enumerate(items):
        record_id = _uuid(word(value, "uuid"), index)
        envelope = {name: value[name] for name in _ENVELOPE if name in value}
        item = {"uuid": record_id, "parentUuid": parent, **envelope, "type": _kind(content)}
        raw = f'{jsonedit.dump(item)[:-1]},"message":{text}}}'
        pieces.append(Unfolded(raw.encode("utf-8"), {**item, "message": content}))
        parent = record_id
    children = {i: [_with_parent(data, records[i], parent)] for i in _children(records, word(value, "uuid"))}
    return replace_records(data, records, {**children, last: pieces}, separator)


def _children(records: Sequence[ReadRecord], uuid: str) -> list[int]:
    return [index for index, item in enumerate(records) if word(item.value, "parentUuid") == uuid]


def _with_parent(data: Content, item: ReadRecord, parent: str) -> Unfolded:
    """Return a record that followed the compression, relinked to follow its history."""
    raw = data[item.record.start : item.record.end]
    changed = jsonedit.replace(raw, {("parentUuid",): jsonedit.encode(parent)})
    return Unfolded(changed, {**item.value, "parentUuid": parent})


def _kind(content: dict[str, Any]) -> str:
    if content.get("role") == "model":
        return "assistant"
    parts = content.get("parts")
    answers = isinstance(parts, list) and any(isinstance(part, dict) and "functionResponse" in part for part in parts)
    return "tool_result" if answers else "user"


def _uuid(parent: str, index: int) -> str:
    key = hashlib.sha256(f"{parent} {index}".encode("utf-8", "surrogatepass")).hexdigest()
    return uuid_text(key, version=5)
