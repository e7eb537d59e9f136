"""New entries of pi sessions, complete as the agent writes them."""

from __future__ import annotations

import json
from typing import Any

from compactor_cli.formats.base import Around
from compactor_cli.model.message import Message
from compactor_cli.text.times import parse_time

_NO_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
_NO_USAGE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": _NO_COST}


def new_entry(message: Message, around: Around) -> dict[str, Any]:
    """Return a `message` entry that follows the one before it."""
    template = around.template if isinstance(around.template, dict) else {}
    part = message.parts[0]
    blocks = [{"type": "text", "text": part.text}]
    body: dict[str, Any] = {"role": "user", "content": blocks}
    if part.kind == "tool_result":
        body = {"role": "toolResult", "toolCallId": part.call_id, "toolName": part.name, "content": blocks}
        body["isError"] = True
    elif message.role == "assistant":
        like = _newest_answer(around)
        known = {key: like.get(key, "") for key in ("api", "provider", "model")}
        body = {"role": "assistant", "content": blocks, **known, "usage": _NO_USAGE, "stopReason": "stop"}
    time = parse_time(template.get("timestamp"))
    # entries of the first version have no ids: the agent makes them when it loads the file
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
    message = json.loads(around.transcript.raw(record)).get("message") if record is not None else None
    return message if isinstance(message, dict) else {}


def _free_id(around: Around) -> str:
    """Return eight hex digits that no entry has."""
    taken = {link.id for link in around.transcript.links if link}
    ids = (around.key[start : start + 8] for start in range(len(around.key) - 7))
    return next((candidate for candidate in ids if candidate not in taken), around.key)
