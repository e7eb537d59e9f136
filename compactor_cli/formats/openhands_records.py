"""New OpenHands events, complete as the agent writes them; its SDK rejects unknown members."""

from __future__ import annotations

import json
from typing import Any

from compactor_cli.formats.base import Around
from compactor_cli.formats.values import inner, uuid_text, word
from compactor_cli.model.message import Message

ROOT = "__root__"
"""The parent named by an event that begins a tree. An event that names no parent follows the one before it."""


def new_event(message: Message, around: Around) -> dict[str, Any]:
    """Return an event like those around it, in the form of the SDK or of 0.x."""
    template = around.template
    return _event(message, around, template) if word(template, "kind") else _old_event(message, around, template)


def _event(message: Message, around: Around, template: dict[str, Any]) -> dict[str, Any]:
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
    """Return an id for an event of 0.x: a summary's is that of its template, others get an unused number."""
    if message.origin == "summary":
        return int(template["id"])
    events = [json.loads(around.transcript.raw(index)) for index in range(len(around.transcript.records))]
    numbers = [event.get("id") for event in events if isinstance(event, dict)]
    used = {number for number in numbers if isinstance(number, int)}
    free = int(template["id"]) + 1
    return free if free not in used else max(used) + 1 + max(message.index, 0)
