"""Gemini CLI sessions: a JSON document with `messages` or, since 0.40, one record per line.

A model message holds its calls and their results. In the line format, a record with a known id replaces the earlier
one at its position. `$rewindTo` removes the named message and everything after it, and `$set` with `messages`
replaces everything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from compactor_cli.formats import gemini_parts
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.copies import shortened_copies, value_at
from compactor_cli.formats.gemini_patches import MESSAGES, last_patch, patch_of, unfold_patches
from compactor_cli.formats.jsonl import FileRecords, ReadRecord
from compactor_cli.formats.turns import add_request, turn_role
from compactor_cli.formats.unfolding import Unfolded, extract_list, replace_records, with_empty_list
from compactor_cli.formats.values import as_text, inner, listed, objects, sum_of, uuid_text, word
from compactor_cli.model.content import Content
from compactor_cli.model.message import Message, Part, Path, Place, Role, text_in
from compactor_cli.text.times import parse_time

_ROLES: dict[str, Role] = {"user": "user", "gemini": "assistant", "model": "assistant", "assistant": "assistant"}
_TYPES = frozenset((*_ROLES, "info", "error", "warning"))
UNSENT_PREFIXES = ("/", "?", "<session_context>", "<hook_context>")
"""Prefixes of user messages that the agent leaves out when it resumes a session."""
_SNAPSHOT = "<state_snapshot>"
"""How the text begins with which the agent replaces the history that it compresses."""
_NUDGE = "System: Please continue."
"""What the agent says in place of the user after the model stopped too early."""
_FAILED_STATES = {"success": False, "error": True, "cancelled": True}


class GeminiCLI(Format):
    name = "gemini-cli"
    title = "Gemini CLI sessions and chat checkpoints"
    lists = (ListPath(("messages",)), ListPath(("history",)), ListPath(()))
    boundary_is_message = True

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict):
            return 0.0
        if isinstance(value.get("$set"), dict) or isinstance(value.get("$rewindTo"), str) or patch_of(value):
            return 1.0
        if word(value, "sessionId") and word(value, "projectHash"):
            return 1.0
        if word(value, "type") in _TYPES and word(value, "id"):
            if not value.keys() & {"content", "parts", "toolCalls"} or "message" in value:
                return 0.0
            return 1.0 if value["type"] == "gemini" else 0.9 if "timestamp" in value else 0.0
        return 0.9 if _is_content(value) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, ids = Builder(counter), CallIds()
        entries, outside = _entries(values, lines=document is None)
        for index, entry in enumerate(entries):
            _read_entry(build, entry, ids, newest=index == len(entries) - 1)
        holders = [document] if isinstance(document, dict) else values
        session = next((word(v, "sessionId") for v in holders if word(v, "sessionId")), "")
        return Reading(build.messages, outside=outside, session_id=session)

    usage_words = (b'"tokens"',)

    def usage(self, value: Any) -> int | None:
        counts = value.get("tokens")
        return sum_of(counts, "total") or sum_of(counts, "input", "output", "thoughts", "tool")

    def unfold(self, data: Content, records: Sequence[ReadRecord], separator: bytes) -> FileRecords | None:
        """Return the data with the messages of the last `$set`, or those left by the last patch, on their own lines
        after an empty `$set`."""
        patch = last_patch(records)
        if patch is not None:
            return unfold_patches(data, records, patch, separator)
        last = next((i for i in range(len(records) - 1, -1, -1) if _replacing_messages(records[i].value)), None)
        messages = _replacing_messages(records[last].value) if last is not None else []
        ids = [word(message, "id") for message in messages]
        if last is None or not all(ids) or len(set(ids)) < len(ids):
            return None
        record, value = records[last].record, records[last].value
        head, items = extract_list(data[record.start : record.end], MESSAGES)
        pieces = [
            Unfolded(head, with_empty_list(value, MESSAGES)),
            *(Unfolded(text.encode(), item) for text, item in items),
        ]
        return replace_records(data, records, {last: pieces}, separator)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        value, changes = json.loads(raw), {}
        for part, text in edited:
            if part.place:
                path, new = gemini_parts.edit_part(part, text)
                changes[path] = new
                changes |= _copies(value, part, part.place.path, text)
        return changes

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        if _is_content(template):
            return gemini_parts.new_content(message)
        key = around.key
        return {
            "id": uuid_text(key),
            "timestamp": template.get("timestamp"),
            "type": "gemini" if message.role == "assistant" else "user",
            "content": [gemini_parts.new_part(message.parts[0])],
        }


class _Entry(Struct, frozen=True):
    """A message in the context."""

    value: dict[str, Any]
    path: Path
    """Path from its record to the message."""
    records: tuple[int, ...]
    """The records of this message: the first one gives its position, the last one its content."""
    is_replacement: bool = False
    """Whether it is in a list that replaced all earlier history."""


def _replacing_messages(value: Any) -> list[Any]:
    """Return the messages with which a record replaces everything before it; empty for other records."""
    if not isinstance(value, dict) or isinstance(value.get("$rewindTo"), str) or isinstance(value.get("id"), str):
        return []
    return listed(inner(value, "$set").get("messages"))


def _is_content(value: dict[str, Any]) -> bool:
    """Return whether a value is a content of the API, as in chat checkpoints."""
    parts = value.get("parts")
    if word(value, "role") not in _ROLES or not isinstance(parts, list) or "type" in value:
        return False
    return all(isinstance(part, dict) and "type" not in part for part in parts)


def _is_message(value: Any) -> bool:
    return word(value, "type") in _ROLES or (isinstance(value, dict) and _is_content(value))


def _entries(values: Sequence[Any], *, lines: bool) -> tuple[list[_Entry], set[int]]:
    """Return the messages left after following all records, and the records that no longer affect them. The records
    of a document are simply in order."""
    entries: dict[str, _Entry] = {}
    outside: set[int] = set()
    replaced: set[str] = set()
    for record, value in enumerate(values):
        if not isinstance(value, dict):
            continue
        if lines and isinstance(value.get("$rewindTo"), str):
            outside |= _rewind(entries, value["$rewindTo"], record)
        elif lines and isinstance(value.get("id"), str):
            old = entries.get(value["id"])
            records = (*(old.records if old else ()), record)
            # the first message of an unfolded history stands for what preceded it, unless it existed before
            is_kept = not entries and bool(replaced) and value["id"] not in replaced
            entries[value["id"]] = _Entry(value, (), records, is_kept or bool(old and old.is_replacement))
        elif lines and isinstance(value.get("$set"), dict):
            messages = value["$set"].get("messages")
            if isinstance(messages, list):
                outside |= {index for index in range(record) if _is_history(values[index])}
                replaced = set(entries)
                entries = _entries_of(messages, record)
        else:
            entries[f" {record}"] = _Entry(value, (), (record,))  # no id begins with a space
    return [entry for entry in entries.values() if _is_message(entry.value)], outside


def _is_history(value: Any) -> bool:
    """Return whether a record concerns only messages; headers and titles do not."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("$set"), dict):
        return set(value["$set"]) <= {"messages", "lastUpdated"}
    is_entry = word(value, "id") != "" and word(value, "type") in _TYPES
    return isinstance(value.get("$rewindTo"), str) or bool(patch_of(value)) or is_entry


def _rewind(entries: dict[str, _Entry], target: str, record: int) -> set[int]:
    """Remove a message and everything after it, or everything if the message is unknown, as the agent does. Return
    the records that then have no effect, including this rewind if nothing else needs it."""
    order = list(entries)
    removed = [entries.pop(name) for name in order[order.index(target) if target in entries else 0 :]]
    # a repeated record has its position in a list that stays
    removed_history = [entry for entry in removed if not entry.is_replacement and _is_history(entry.value)]
    return {index for entry in removed_history for index in entry.records} | (
        {record} if len(removed_history) == len(removed) else set()
    )


def _entries_of(messages: list[Any], record: int) -> dict[str, _Entry]:
    return {
        word(value, "id") or f" {record}.{index}": _Entry(value, ("$set", "messages", index), (record,), True)
        for index, value in enumerate(messages)
        if isinstance(value, dict)
    }


def _read_entry(build: Builder, entry: _Entry, ids: CallIds, *, newest: bool) -> None:
    value, path = entry.value, entry.path
    role = _ROLES[word(value, "type") or word(value, "role")]
    key = "content" if "content" in value else "parts"
    parts = gemini_parts.read_parts(build, value.get(key), (*path, key), entry.records[-1], ids)
    results: list[Part] = []
    if role == "assistant":
        if not any(part.kind in ("tool_call", "thinking") for part in parts):
            parts = _thoughts(build, value) + parts  # otherwise the content contains them itself
        parts, results = _tool_calls(build, entry, parts, ids, newest=newest)
    words = text_in(parts).strip()
    is_empty = not words and all(part.kind == "text" for part in parts)
    if not parts or (role == "user" and (words.startswith(UNSENT_PREFIXES) or is_empty)):
        return  # not sent by the agent: passed through
    role, origin = turn_role(role, parts)
    snapshot = role == "user" and words.startswith(_SNAPSHOT)
    name, time = word(value, "id"), parse_time(value.get("timestamp") or value.get("ts"))
    if snapshot or words == _NUDGE:
        origin = "summary" if snapshot else "injected"
    pinned = snapshot or (entry.is_replacement and origin != "summary")
    if origin == "request":
        request_parts, files = gemini_parts.split_request(parts)
        add_request(build, request_parts, files, entry.records, id=name, timestamp=time, pinned=pinned)
        return
    build.add(role, parts, entry.records, id=name, timestamp=time, origin=origin, pinned=pinned)
    if results:
        results_id = f"{name}:results" if name else ""
        build.add("tool", results, entry.records, id=results_id, timestamp=time, pinned=pinned)


def _thoughts(build: Builder, value: dict[str, Any]) -> list[Part]:
    texts = [
        "\n".join(text for text in (word(thought, "subject"), word(thought, "description")) if text)
        for thought in listed(value.get("thoughts"))
    ]
    return [build.part("thinking", text) for text in texts if text]


def _tool_calls(
    build: Builder, entry: _Entry, parts: list[Part], ids: CallIds, *, newest: bool
) -> tuple[list[Part], list[Part]]:
    """Return the parts of a message, including calls found only in `toolCalls`, and the results of all calls there."""
    call_ids = {part.call_id for part in parts if part.kind == "tool_call"}
    parts, results = list(parts), []
    for index, call in objects(entry.value.get("toolCalls")):
        path, name = (*entry.path, "toolCalls", index), word(call, "name")
        call_id = word(call, "id")
        if call_id not in call_ids:
            call_id = ids.call(call_id, name)
            place = Place(entry.records[-1], (*path, "args"), "json") if isinstance(call.get("args"), dict) else None
            parts.append(build.part("tool_call", as_text(call.get("args")), place, name=name, call_id=call_id))
        answers = _results(build, call, (*path, "result"), entry.records[-1], ids.response(call_id, name))
        if answers or not newest:
            # a call that was cut off has no result
            results += answers or [build.part("tool_result", "", name=name, call_id=call_id, failed=True)]
    return parts, results


def _results(build: Builder, call: dict[str, Any], path: Path, record: int, call_id: str) -> list[Part]:
    """Return a call's result parts: a text, or several parts, one of them the function response."""
    result, failed = call.get("result"), _FAILED_STATES.get(word(call, "status"))
    name = word(call, "name")
    if isinstance(result, str):
        place = Place(record, path)
        return [build.part("tool_result", result, place, name=name, call_id=call_id, failed=failed)] if result else []
    parts: list[Part] = []
    is_list = isinstance(result, list)
    for index, item in enumerate(result if isinstance(result, list) else [result]):
        text_path = (*path, index) if is_list else path
        response = item.get("functionResponse") if isinstance(item, dict) else None
        if isinstance(response, dict) and not any(part.kind == "tool_result" for part in parts):
            parts.append(
                gemini_parts.read_response(build, response, (*text_path, "functionResponse"), record, call_id, failed)
            )
        elif item is not None:
            parts += gemini_parts.read_parts(build, item, text_path, record, CallIds())
    if parts and not any(part.kind == "tool_result" for part in parts):
        parts.insert(0, build.part("tool_result", "", name=name, call_id=call_id, failed=failed))
    return parts


def _copies(value: Any, part: Part, path: Path, text: str) -> dict[Path, str]:
    """Return changes to copies of a shortened text: display texts, and calls that are stored in two places."""
    index = next((i for i, step in enumerate(path) if step in ("toolCalls", "content")), len(path))
    holder = value_at(value, path[:index])
    if path[index : index + 1] == ("toolCalls",):
        copy_path = path[: index + 2]
        call = holder["toolCalls"][path[index + 1]]
        if part.kind == "tool_result" and call.get("resultDisplay") is not None:
            return shortened_copies(call["resultDisplay"], (*copy_path, "resultDisplay"), text)
    elif part.kind == "tool_call":
        for number, call in objects(holder.get("toolCalls")):
            if word(call, "id") == part.call_id and "args" in call:
                return {(*path[:index], "toolCalls", number, "args"): text}
    elif part.kind == "text" and isinstance(holder, dict) and holder.get("displayContent") is not None:
        return shortened_copies(holder["displayContent"], (*path[:index], "displayContent"), text)
    return {}
