"""Events of OpenHands: those of its SDK (`kind`), one per line, and those of versions 0.x (`action`, `observation`) as
a list, the `history` of a row, or one per line.

A condensation names the events that the model no longer gets, and may hold a summary of them. In newer files the
events form a tree by `parent_id`; the path from the root to the last event counts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import openhands_old as old
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.copies import equal_copies, shortened_copies, shortened_texts, value_at
from compactor_cli.formats.openhands_views import SentView, old_view, view_of
from compactor_cli.formats.trees import chains, path_from_root
from compactor_cli.formats.values import as_text, body, edit_value, inner, listed, objects, sum_of, uuid_text, word
from compactor_cli.model.injected import origin_of_blocks
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role
from compactor_cli.model.transcript import Link
from compactor_cli.text.times import parse_time

_SOURCES = ("agent", "user", "environment", "hook")
RESULTS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
"""Kinds of events that answer a call."""
_KINDS = (*RESULTS, "SystemPromptEvent", "MessageEvent", "ActionEvent", "CondensationSummaryEvent")
"""Kinds of events that are sent."""
_MIN_DAMAGED_FIT = 0.5
"""Recognition of an event whose kind is unique to this format, but which lacks required members."""
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


ROOT = "__root__"
"""The parent named by an event that begins a tree. An event that names no parent follows the one before it."""


class OpenHands(Format):
    name = "openhands"
    title = "OpenHands events: a list, lines, or a folder of files"
    lists = tuple(map(ListPath, (("history",), ("trajectory",), ("events",), ("items",), ())))
    adjacent_results = False
    parent_path = ("parent_id",)
    boundary_is_message = True
    usage_words = (b'"per_turn_token"', b'"prompt_tokens"')

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict):
            return 0.0
        if word(value, "kind"):
            envelope = word(value, "id") and word(value, "timestamp") and value.get("source") in _SOURCES
            if value["kind"] in _KINDS:
                return 1.0 if envelope else _MIN_DAMAGED_FIT
            return (1.0 if value["kind"].startswith("Condensation") else 0.9) * bool(envelope)
        return old.recognize(value)

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        if not any(word(value, "kind") for value in values):
            view = old_view(values)
            old.read(build, values, view)
            return Reading(build.messages, outside=view.outside)
        branch, view = branch_and_view(values)
        _read(build, values, branch, view)
        owners = _stats_owners(values, branch, build.messages)
        links: list[Link | None] = chains(_parents(values), branch) if _is_tree(values) else []
        return Reading(build.messages, owners, links, outside=view.outside - owners.keys(), branch=branch)

    def new_record(self, message: Message, around: Around) -> Any:
        """Return an event like those around it, complete, as the SDK rejects unknown members."""
        make = _sdk_event if word(around.template, "kind") else _old_event
        return make(message, around, around.template)

    def usage(self, value: Any) -> int | None:
        if word(value, "kind"):
            return _stats_usage(value.get("value"))
        return old.usage(value)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        value = json.loads(raw)
        if not word(value, "kind"):
            return old.edits(value, edited)
        changes: dict[Path, str] = {}
        for part, text in edited:
            if part.place is None:
                continue
            changes[part.place.path] = edit_value(part, text)
            if part.kind == "tool_call" and isinstance(value.get("action"), dict):
                old_value = value_at(value, part.place.path)
                changes |= equal_copies(value["action"], ("action",), shortened_texts(old_value, text))
            elif part.kind == "tool_result" and isinstance(value.get("observation"), dict):
                for key, copy in value["observation"].items():
                    if isinstance(copy, str) and key not in part.place.path:
                        changes |= shortened_copies(copy, ("observation", key), text)
        return changes


def branch_and_view(values: Sequence[Any]) -> tuple[list[int], SentView]:
    """Return the path of the SDK's events from the root to the last one, and which of them are sent."""
    branch = path_from_root(_parents(values))
    return branch, view_of(values, branch, _KINDS)


def _is_tree(values: Sequence[Any]) -> bool:
    return any(word(value, "parent_id") for value in values)


def _parents(values: Sequence[Any]) -> dict[int, tuple[str, str, int | None]]:
    """Return record -> (id, parent's id, its record). One that names no parent follows the one before it."""
    ids = {record: word(value, "id") for record, value in enumerate(values) if word(value, "kind")}
    by_id = {name: record for record, name in ids.items() if name} if _is_tree(values) else {}
    parents: dict[int, tuple[str, str, int | None]] = {}
    previous: int | None = None
    for record, name in ids.items():
        parent = word(values[record], "parent_id")
        parent_record = previous if not parent else None if parent == ROOT else by_id.get(parent)
        parents[record] = (name, parent, parent_record)
        previous = record if by_id.get(name, record) == record else previous
    return parents


def _read(build: Builder, values: Sequence[Any], branch: Sequence[int], view: SentView) -> None:
    answers: dict[str, int] = {}
    for record in branch:
        if record in view.hidden:
            continue
        value = values[record]
        kind = word(value, "kind")
        role, origin, parts = _event(build, value, kind, record, view)
        response = word(value, "llm_response_id") if kind == "ActionEvent" else ""
        if response and response in answers:
            build.extend(answers[response], parts, record)  # calls of one answer
        elif parts:
            name, time, pinned = word(value, "id"), parse_time(value.get("timestamp")), record in view.pinned
            index = build.add(role, parts, (record,), id=name, timestamp=time, origin=origin, pinned=pinned)
            answers |= {response: index} if response else {}


def _event(build: Builder, value: Any, kind: str, record: int, view: SentView) -> tuple[Role, Origin, list[Part]]:
    if kind == "SystemPromptEvent":
        keys = [key for key in ("system_prompt", "dynamic_context") if isinstance(value.get(key), dict)]
        parts = [part for key in keys for part in _blocks(build, [value[key]], (key,), record, single=True)]
        return "system", "other", parts
    if kind == "MessageEvent":
        return _message(build, value, record)
    if kind == "ActionEvent":
        return "assistant", "other", _action(build, value, record)
    if kind in RESULTS:
        return "tool", "other", _result(build, value, kind, record)
    if kind == "CondensationSummaryEvent" or record in view.summaries:
        text = as_text(value.get("summary"))
        return "user", "summary", [build.part("text", text, Place(record, ("summary",)))]
    return "user", "other", []


def _message(build: Builder, value: Any, record: int) -> tuple[Role, Origin, list[Part]]:
    sent = inner(value, "llm_message")
    role = _ROLES.get(word(sent, "role"), "user")
    parts = _thinking(build, sent)
    message_parts = _blocks(build, sent.get("content"), ("llm_message", "content"), record)
    parts += message_parts + _blocks(build, value.get("extended_content"), ("extended_content",), record)
    origin = origin_of_blocks(message_parts)
    if role != "user":
        return role, origin if origin == "summary" else "other", parts
    if origin == "request" and value.get("source") != "user":
        origin = "injected"  # the agent itself, a hook or another agent wrote it
    return role, "request" if origin == "other" and message_parts else origin, parts


def _blocks(build: Builder, content: Any, path: Path, record: int, *, single: bool = False) -> list[Part]:
    """Return the parts of a list of texts and pictures. `single`: the block is at `path` itself."""
    parts = build.text(content, record, path)
    for index, block in objects(content):
        block_path = path if single else (*path, index)
        if word(block, "type") == "image":
            parts.append(build.image(Place(record, block_path, "block:text")))
        else:
            parts += build.text(block.get("text"), record, (*block_path, "text"))
    return parts


def _thinking(build: Builder, value: Any) -> list[Part]:
    """Return the reasoning, which is sent back unchanged. It has a text, a seal, or both."""
    text = word(value, "reasoning_content")
    blocks = listed(value.get("thinking_blocks"))
    item = value.get("responses_reasoning_item")
    if not text:
        text = "\n".join(word(block, "thinking") for block in blocks)
    if not text and isinstance(item, dict) and isinstance(item.get("summary"), list):
        text = "\n".join(as_text(line) for line in item["summary"])
    return [build.part("thinking", text)] if text or blocks or item else []


def _action(build: Builder, value: Any, record: int) -> list[Part]:
    call = inner(value, "tool_call")
    base: Path = ("tool_call",)
    if isinstance(call.get("function"), dict):  # the first versions stored the call in the API's form
        call, base = call["function"], (*base, "function")
    arguments = call.get("arguments")
    place = Place(record, (*base, "arguments")) if isinstance(arguments, str) else None
    name = word(value, "tool_name") or word(call, "name")
    parts = _thinking(build, value) + _blocks(build, value.get("thought"), ("thought",), record)
    call_id = word(value, "tool_call_id")
    return [*parts, build.part("tool_call", as_text(arguments), place, name=name, call_id=call_id)]


def _result(build: Builder, value: Any, kind: str, record: int) -> list[Part]:
    name, call = word(value, "tool_name"), word(value, "tool_call_id")
    if kind == "AgentErrorEvent":
        place = Place(record, ("error",)) if "error" in value else None
        text = as_text(value.get("error"))
        return [build.part("tool_result", text, place, name=name, call_id=call, failed=True)]
    if kind == "UserRejectObservation":
        text = f"Action rejected: {word(value, 'rejection_reason')}"
        return [build.part("tool_result", text, name=name, call_id=call, failed=True)]
    seen, failed = inner(value, "observation"), _is_failed(inner(value, "observation"))
    key = next((key for key in ("content", "output") if key in seen), "")
    text, images, place = body(seen.get(key), ("observation", key), record)
    place_or_none = place if key else None
    result = build.part("tool_result", text, place_or_none, name=name, call_id=call, failed=failed, images=images)
    return [result, *_blocks(build, value.get("extended_content"), ("extended_content",), record)]


def _is_failed(seen: dict[str, Any]) -> bool | None:
    """Return whether a tool failed: it says so, or its command's exit code is above 0. None if unknown."""
    codes = (seen.get("exit_code"), inner(seen, "metadata").get("exit_code"))
    if seen.get("is_error") is True or any(isinstance(code, int) and code > 0 for code in codes):
        return True
    return False if isinstance(seen.get("is_error"), bool) or 0 in codes else None


def _stats_owners(values: Sequence[Any], branch: Sequence[int], messages: Sequence[Message]) -> dict[int, int]:
    """Return record -> answer for records with the provider's counts; the answer follows its record."""
    of_record = {record: message.index for message in messages for record in message.records}
    owners: dict[int, int] = {}
    following: int | None = None
    for record in reversed(branch):
        if record in of_record:
            index = of_record[record]
            following = index if messages[index].role == "assistant" else following
        elif following is not None and _stats_usage(values[record].get("value")):
            owners[record] = following
    return owners


def _stats_usage(stats: Any) -> int | None:
    """Return the tokens of the last turn of the working model, not of the one that condenses."""
    for name, usage in inner(inner(stats, "stats") or stats, "usage_to_metrics").items():
        tokens = sum_of(inner(usage, "accumulated_token_usage"), "per_turn_token")
        if "condenser" not in name and tokens:
            return tokens
    return None


def _sdk_event(message: Message, around: Around, template: dict[str, Any]) -> dict[str, Any]:
    key, part = around.key, message.parts[0]
    envelope = {"id": uuid_text(key), "timestamp": template.get("timestamp")}
    branches = any(link and link.chain for link in around.transcript.links)  # the previous event may be on another one
    parent_id = around.parent or (ROOT if branches else "")
    parent = {"parent_id": parent_id} if parent_id and any(around.transcript.links) else {}
    if part.kind == "tool_result":
        error = {"tool_name": part.name or _tool_name(message, around), "tool_call_id": part.call_id}
        return {**envelope, **parent, "source": "agent", **error, "error": part.text, "kind": "AgentErrorEvent"}
    role = message.role if message.role in ("system", "assistant") else "user"
    return {
        **envelope,
        **parent,
        "source": "agent" if role == "assistant" else "user",
        "llm_message": {"role": role, "content": [{"type": "text", "text": part.text}]},
        "activated_skills": [],
        "extended_content": [],
        "kind": "MessageEvent",
    }


def _tool_name(message: Message, around: Around) -> str:
    """Return the name of the tool whose call a result answers."""
    call = message.parts[0].call_id
    names = (c.name for m in around.transcript.messages for c in m.calls if c.call_id == call)
    return next(names, "")


def _old_event(message: Message, around: Around, template: dict[str, Any]) -> dict[str, Any]:
    part, numbered = message.parts[0], isinstance(template.get("id"), int)
    agent = message.role == "assistant"
    source = "agent" if agent else "user"
    envelope = {"id": _number(message, around, template), "timestamp": template.get("timestamp")} if numbered else {}
    if part.kind == "tool_result":
        call = _call_event(part.call_id, around)
        call_metadata = {key: call[key] for key in ("tool_call_metadata",) if key in call}
        head = {**envelope, "source": "environment", "message": part.text, "cause": call.get("id")} if numbered else {}
        tail = {"extras": {"error_id": ""}} if numbered else {}
        return {**head, "observation": "error", **call_metadata, "content": part.text, **tail}
    content = {"content": part.text, "image_urls": None, "wait_for_response": agent}
    if not numbered:
        return {**content, "action": "message"}
    return {**envelope, "source": source, "message": part.text, "action": "message", "args": content}


def _call_event(call_id: str, around: Around) -> dict[str, Any]:
    """Return the event of a call, read from its record."""
    transcript = around.transcript
    calls = ((m, part) for m in transcript.messages for part in m.calls if part.call_id == call_id)
    record = next((part.place.record if part.place else m.records[0] for m, part in calls), None)
    value = json.loads(transcript.raw(record)) if record is not None else {}
    return inner(value)


def _number(message: Message, around: Around, template: dict[str, Any]) -> int:
    """Return an id for an event of 0.x, where ids ascend with gaps. A summary takes over the id of the event it is
    modelled on; any other event gets an unused number."""
    if message.origin == "summary":
        return int(template["id"])
    events = [json.loads(around.transcript.raw(index)) for index in range(len(around.transcript.records))]
    numbers = [event.get("id") for event in events if isinstance(event, dict)]
    used = {number for number in numbers if isinstance(number, int)}
    free = int(template["id"]) + 1
    return free if free not in used else max(used) + 1 + max(message.index, 0)
