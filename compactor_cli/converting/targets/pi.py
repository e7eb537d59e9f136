"""To sessions of pi: a short header, then entries in a chain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.converting import fitting
from compactor_cli.converting.arranging import arrange
from compactor_cli.converting.base import Attribute, Home, WriteContext, first_time, times
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn
from compactor_cli.converting.stable import digest, iso, millis
from compactor_cli.formats import jsonedit

_NAME, _ID = 64, 64
_NO_COST = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
_NO_USAGE = {**dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 0), "cost": _NO_COST}
_MAKER = {"api": "unknown", "provider": "unknown", "model": "unknown"}
"""No model of the agent's made these: it then sends thinking as text."""


class ToPi:
    name = "pi"
    purpose = "a session that pi goes on with"
    many = False
    holds: frozenset[Attribute] = frozenset(("time", "failed"))

    def fit(self, conversation: Conversation) -> Conversation:
        conversation = arrange(conversation)
        return replace(conversation, turns=fitting.for_an_agent(conversation.turns, _NAME, _ID))

    def write(self, conversations: Sequence[Conversation], context: WriteContext) -> bytes:
        (conversation,) = conversations
        start = iso(first_time(conversation, context))
        header = {
            "type": "session",
            "version": 3,
            "id": conversation.session_id,
            "timestamp": start,
            "cwd": conversation.cwd,
        }
        records: list[dict[str, Any]] = [header]
        parent: str | None = None
        for index, (turn, time) in enumerate(zip(conversation.turns, times(conversation, context), strict=True)):
            entry = digest(context.key, "entry", index)[:16]
            message = {**_message(turn), "timestamp": millis(time)}
            records.append(
                {"type": "message", "id": entry, "parentId": parent, "timestamp": iso(time), "message": message}
            )
            parent = entry
        return jsonedit.lines(records)

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        start = re.sub(r"[:.]", "-", iso(first_time(conversation, context)))
        return f"{start}_{conversation.session_id}.jsonl"

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        slug = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", conversation.cwd))
        name = self.file_name(conversation, context)
        return Home(f"~/.pi/agent/sessions/--{slug}--/{name}", f"pi --session {name}")


def _message(turn: SpeakerTurn) -> dict[str, Any]:
    content = [block for item in turn.items for block in _blocks(item)]
    if turn.role == "tool":
        (result,) = turn.items
        head = {"role": "toolResult", "toolCallId": result.call_id, "toolName": result.name}
        return {**head, "content": content, "isError": bool(result.failed)}
    if turn.role == "user":
        return {"role": "user", "content": content}
    calls = any(item.kind == "call" for item in turn.items)
    end = {"usage": _NO_USAGE, "stopReason": "toolUse" if calls else "stop"}
    return {"role": "assistant", "content": content, **_MAKER, **end}


def _blocks(item: Item) -> list[dict[str, Any]]:
    if item.kind == "call":
        call = {"id": item.call_id, "name": item.name, "arguments": fitting.arguments(item)}
        return [{"type": "toolCall", **call}]
    if item.kind == "thinking":
        return [{"type": "thinking", "thinking": item.text}]
    text = [{"type": "text", "text": item.text}] if item.kind == "text" or item.text else []
    return text + [{"type": "image", "data": p.data, "mimeType": p.media_type} for p in item.pictures]
