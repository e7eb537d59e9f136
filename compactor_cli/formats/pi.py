"""Sessions of pi and of OpenClaw, which is built on it: a header, then entries that form a tree by `id` and `parentId`.

The last entry is the leaf. The context is its path to the root, starting at the last compaction. Other branches and
entries that are not sent pass through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.trees import chains, path_from_root
from compactor_cli.formats.values import (
    arguments_place,
    as_text,
    block_kinds,
    block_text,
    inner,
    is_image,
    listed,
    numbers_in,
    sum_of,
    word,
)
from compactor_cli.model.injected import origin_of_parts
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role, text_in
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.times import parse_time

_SUMMARIES: dict[str, Origin] = {"branchSummary": "injected", "compactionSummary": "summary"}
"""Roles of messages that hold a summary -> origin."""
_OWN_ROLES = frozenset(("toolResult", "bashExecution", "custom", *_SUMMARIES))
_ROLES = frozenset(("user", "assistant", "system", *_OWN_ROLES))
EDIT = "context_edit"
"""Kind of an entry that replaces the content sent for another entry, or suppresses it."""
_NOTES = ("model_change", "thinking_level_change", "custom", "label", "session_info", "usage", EDIT)
"""Kinds of entries that are never sent."""
_NAMING = ("label", EDIT)
"""Kinds of entries that belong to the entry that they name."""
_SENT = ("message", "compaction", "branch_summary", "custom_message")
"""Kinds of entries that are sent when they are in the context."""
_FAILED = ("error", "aborted")
"""Stop reasons of model attempts that are not sent again."""
_SENDER = compiled_later(r"\A(?:[\w ]+\(untrusted[^)]*\):?\s*```json.*?```\s*)+", re.DOTALL)
"""What OpenClaw puts before the user's words."""
_NO_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
_NO_USAGE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": _NO_COST}


class Pi(Format):
    name = "pi"
    title = "sessions of pi and OpenClaw"
    parent_path = ("parentId",)
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if not kind or "payload" in value or ("data" in value and kind != "custom"):
            return 0.0
        if kind == "session":
            return 1.0 if word(value, "cwd") and "harness" not in value else 0.0
        if kind == "message":
            return _recognize_message(value)
        if kind in ("compaction", "branch_summary"):
            return 1.0 if "summary" in value else 0.0
        if kind == "custom_message":
            return 1.0 if "customType" in value else 0.0
        if kind in _NOTES:
            return 0.9 if "timestamp" in value else 0.0
        return 0.4 if {"id", "parentId", "timestamp"} <= value.keys() and "message" not in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        parents = _parents(values)
        branch = path_from_root(parents)
        boundary, first = _boundary(values, branch)
        answered = {word(v["message"], "toolCallId") for v in values if _role(v) == "toolResult"}
        owners: dict[int, int] = {}
        edits = {name: record for record in branch if (name := edited_id(values[record]))}
        omitted = {n for n in branch if (edit := edits.get(word(values[n], "id"))) is not None and _omits(values[edit])}
        for record in branch:
            value = values[record]
            if record < first or record in omitted:
                continue  # before what the compaction kept, or suppressed later
            if record == boundary:
                _read_boundary(build, value, record)
            elif _role(value) == "assistant" and _is_failed_try(value["message"], answered):
                if build.messages:
                    owners[record] = len(build.messages) - 1
            else:
                edit = edits.get(word(value, "id"))
                sent = value if edit is None else apply_edit(value, values[edit])
                source = (record, _base(value)) if edit is None else (edit, ("replacement",))
                _read_entry(build, sent, record, source, pinned=boundary is not None and record == first)
        _add_naming_owners(values, build.messages, owners)
        outside = _records_outside(values, [record for record in branch if record not in omitted], first)
        session = next((v.get("id") for v in values if word(v, "type") == "session"), "")
        links = chains(parents, branch)
        return Reading(build.messages, owners, links, outside=outside, session_id=as_text(session), branch=branch)

    def new_record(self, message: Message, around: Around) -> Any:
        return new_entry(message, around)

    usage_words = (b'"usage"',)

    def usage(self, value: Any) -> int | None:
        counts = inner(value, "message", "usage")
        return sum_of(counts, "totalTokens") or sum_of(counts, "input", "output", "cacheRead", "cacheWrite")

    def counts(self, value: Any) -> list[Path]:
        return numbers_in(inner(value, "message", "usage"), ("message", "usage"))


def _recognize_message(value: dict[str, Any]) -> float:
    message = value.get("message")
    role = word(message, "role")
    if role not in _ROLES or not isinstance(message, dict) or "timestamp" not in value or "uuid" in value:
        return 0.0
    if role in _OWN_ROLES or "timestamp" in message or "stopReason" in message:
        return 1.0
    kinds = block_kinds(message.get("content"))
    if kinds & {"tool_use", "tool_result"}:
        return 0.0
    return 1.0 if "toolCall" in kinds else 0.6


def _role(value: Any) -> str:
    return word(value.get("message"), "role") if word(value, "type") == "message" else ""


def _parents(values: Sequence[Any]) -> dict[int, tuple[str, str, int | None]]:
    """Return record -> (id, parent's id, its record). Without ids, an entry follows the last one."""
    ids = {record: word(v, "id") for record, v in enumerate(values) if word(v, "type") not in ("", "session")}
    by_id = {name: record for record, name in ids.items() if name}
    calls = {call: record for record, v in enumerate(values) for call in _call_ids(v)}
    parents: dict[int, tuple[str, str, int | None]] = {}
    previous: int | None = None
    for record, name in ids.items():
        parent = word(values[record], "parentId")
        caller = calls.get(parent) if parent not in by_id else None
        parent = parent if caller is None else ids[caller] or parent
        parent_record = previous if not name else by_id.get(parent) if caller is None else caller
        parents[record] = (name, parent, parent_record)
        previous = record
    return parents


def _call_ids(value: Any) -> list[str]:
    content = value["message"].get("content") if _role(value) == "assistant" else None
    return [word(block, "id") for block in content if word(block, "id")] if isinstance(content, list) else []


def _boundary(values: Sequence[Any], branch: Sequence[int]) -> tuple[int | None, int]:
    """Return the last compaction on the path, and the first record that counts: the first entry that it kept, if
    that precedes it on the path."""
    boundary = next((record for record in reversed(branch) if word(values[record], "type") == "compaction"), None)
    if boundary is None:
        return None, 0
    value = values[boundary]
    first_kept = word(value, "firstKeptEntryId")
    ids = {word(values[record], "id"): record for record in branch if record < boundary}
    if first_kept:
        return boundary, ids.get(first_kept, boundary)
    index = value.get("firstKeptEntryIndex")
    if isinstance(index, int) and not word(value, "id"):
        entries = [record for record, v in enumerate(values) if word(v, "type")]
        return boundary, entries[index] if 0 < index < len(entries) else boundary
    return boundary, boundary


def _records_outside(values: Sequence[Any], branch: Sequence[int], first_kept: int) -> set[int] | None:
    """Return entries that are not sent, with labels; None if entries are named by their index."""
    if any("firstKeptEntryIndex" in value and not word(value, "id") for value in values if isinstance(value, dict)):
        return None  # refers to entries by index, so none may be removed
    sent = {record for record in branch if record >= first_kept}
    unsent = {record for record, value in enumerate(values) if word(value, "type") in _SENT and record not in sent}
    ids = {word(values[record], "id") for record in unsent} - {""}
    naming = {record for record, value in enumerate(values) if word(value, "type") in _NAMING}
    unsent |= {record for record in naming if word(values[record], "targetId") in ids}
    return unsent - set(branch[-1:])  # the agent starts from the last entry


def _is_failed_try(message: Mapping[str, Any], answered: set[str]) -> bool:
    """Return whether an attempt is empty, or failed or was aborted without any of its calls being answered. Such
    attempts are not sent again."""
    content = message.get("content")
    if not content:
        return True
    calls = {word(block, "id") for block in content} if isinstance(content, list) else set()
    return message.get("stopReason") in _FAILED and not calls & answered


def _read_boundary(build: Builder, value: dict[str, Any], record: int) -> None:
    parts = [build.part("text", as_text(value.get("summary")), Place(record, ("summary",)))]
    name, time = word(value, "id"), parse_time(value.get("timestamp"))
    build.add("user", parts, (record,), id=name, timestamp=time, origin="summary", pinned=True)


def edited_id(value: Any) -> str:
    """Return the id of the entry that a context edit applies to; empty for other entries."""
    return word(value, "targetId") if word(value, "type") == EDIT else ""


def _omits(edit: dict[str, Any]) -> bool:
    """Return whether a context edit suppresses an entry."""
    return not isinstance(edit.get("replacement"), dict)


def apply_edit(value: dict[str, Any], edit: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the content that a context edit sends for it."""
    content = {"content": edit["replacement"].get("content")}
    message = value.get("message")
    return {**value, "message": {**message, **content}} if isinstance(message, dict) else {**value, **content}


def _base(value: dict[str, Any]) -> Path:
    """Return the path to the object that holds an entry's content."""
    return ("message",) if word(value, "type") == "message" else ()


def _read_entry(build: Builder, value: dict[str, Any], record: int, source: tuple[int, Path], *, pinned: bool) -> None:
    """Add the message of an entry, if it is one. `source`: the record and path that hold its content."""
    holder, path = source[0], (*source[1], "content")
    kind, role = word(value, "type"), _role(value)
    origin: Origin = "other"
    sent: Role = "user"
    if kind == "branch_summary":
        parts, origin = [build.part("text", as_text(value.get("summary")), Place(record, ("summary",)))], "injected"
    elif kind == "custom_message":
        parts, origin = _content(build, value.get("content"), path, holder), "injected"
    elif kind != "message" or not isinstance(value.get("message"), dict):
        return
    elif role == "bashExecution":
        parts, origin = _bash(build, value["message"], record), "injected"
    elif role in _SUMMARIES:
        text, text_place = as_text(value["message"].get("summary")), Place(record, ("message", "summary"))
        parts, origin = [build.part("text", text, text_place)], _SUMMARIES[role]
    elif role == "toolResult":
        message = value["message"]
        name, call_id, failed = word(message, "toolName"), word(message, "toolCallId"), message.get("isError")
        parts, sent = [build.result(message, holder, path, call_id=call_id, name=name, failed=failed)], "tool"
    else:
        parts = _content(build, value["message"].get("content"), path, holder)
        sent = "assistant" if role == "assistant" else "system" if role == "system" else "user"
        origin = "injected" if role == "custom" or value["message"].get("runtimeContext") else _origin(sent, parts)
    if parts:
        name, time = word(value, "id"), parse_time(value.get("timestamp"))
        build.add(sent, parts, (record,), id=name, timestamp=time, origin=origin, pinned=pinned)


def _origin(role: Role, parts: Sequence[Part]) -> Origin:
    return origin_of_parts(parts, by_user=role == "user", text=_SENDER.sub("", text_in(parts)))


def _bash(build: Builder, message: dict[str, Any], record: int) -> list[Part]:
    """Return the parts of a command that the user ran; none if the user excluded it from the context."""
    if message.get("excludeFromContext"):
        return []
    parts = [build.part("text", f"Ran `{as_text(message.get('command'))}`")]
    if isinstance(message.get("output"), str) and message["output"]:
        parts.append(build.part("text", message["output"], Place(record, ("message", "output"))))
    if message.get("cancelled"):
        parts.append(build.part("text", "(command cancelled)"))
    elif message.get("exitCode"):
        parts.append(build.part("text", f"Command exited with code {message['exitCode']}"))
    return parts


def _content(build: Builder, content: Any, path: Path, record: int) -> list[Part]:
    if isinstance(content, str):
        return build.text(content, record, path)
    parts = []
    for index, block in enumerate(listed(content)):
        kind, block_path = word(block, "type"), (*path, index)
        if kind == "text":
            # a signed text is sent with the model's id for it
            place = Place(record, (*block_path, "text")) if "textSignature" not in block else None
            parts.append(build.part("text", as_text(block.get("text")), place))
        elif kind == "thinking":
            parts.append(build.part("thinking", as_text(block.get("thinking"))))
        elif kind == "toolCall":
            sealed = "thoughtSignature" in block
            place = None if sealed else arguments_place(block.get("arguments"), record, (*block_path, "arguments"))
            arguments, name, call = as_text(block.get("arguments")), word(block, "name"), word(block, "id")
            parts.append(build.part("tool_call", arguments, place, name=name, call_id=call))
        elif is_image(block):
            parts.append(build.image(Place(record, block_path, "block:text")))
        else:
            parts.append(build.part("other", block_text(block)))
    return parts


def _add_naming_owners(values: Sequence[Any], messages: Sequence[Message], owners: dict[int, int]) -> None:
    """Assign labels and context edits to the entry that they name."""
    by_id = {message.id: message.index for message in messages}
    for record, value in enumerate(values):
        if word(value, "type") in _NAMING and word(value, "targetId") in by_id:
            owners[record] = by_id[word(value, "targetId")]


def new_entry(message: Message, around: Around) -> dict[str, Any]:
    """Return a `message` entry that follows the one before it."""
    template = around.template
    part = message.parts[0]
    blocks = [{"type": "text", "text": part.text}]
    body: dict[str, Any] = {"role": "user", "content": blocks}
    if part.kind == "tool_result":
        body = {"role": "toolResult", "toolCallId": part.call_id, "toolName": part.name, "content": blocks}
        body["isError"] = True
    elif message.role == "assistant":
        like = _newest_answer(around)
        model_fields = {key: like.get(key, "") for key in ("api", "provider", "model")}
        body = {"role": "assistant", "content": blocks, **model_fields, "usage": _NO_USAGE, "stopReason": "stop"}
    time = parse_time(template.get("timestamp"))
    # entries of the first version have no ids; the agent creates them on loading
    linked = any(around.transcript.links)
    ids = {"id": _free_id(around), "parentId": around.parent or None} if linked else {}
    return {
        "type": "message",
        **ids,
        "timestamp": template.get("timestamp"),
        "message": {**body, "timestamp": int((time or 0) * 1000)},
    }


def _newest_answer(around: Around) -> dict[str, Any]:
    messages = reversed(around.transcript.messages)
    record = next((m.records[-1] for m in messages if m.role == "assistant" and m.records), None)
    return inner(json.loads(around.transcript.raw(record)), "message") if record is not None else {}


def _free_id(around: Around) -> str:
    """Return an id of eight hex digits that no entry has."""
    used_ids = {link.id for link in around.transcript.links if link}
    ids = (around.key[start : start + 8] for start in range(len(around.key) - 7))
    return next((candidate for candidate in ids if candidate not in used_ids), around.key)
