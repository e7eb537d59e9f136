"""Codex: a `compacted` record with the history that replaces everything before it."""

from __future__ import annotations

import json
import math
from typing import Any

from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.formats.codex_context import DELIVERY, next_ordinal
from compactor_cli.formats.response_items import AGENTS
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Agentic, Compacted

_FORMAT = FORMATS["codex"]
_HEAD_ID_KEYS = ("id", "session_id")
_RECORD_ID_KEYS = ("thread_id", "session_id")


class ResumedCodex(Agentic):
    format = "codex"
    appends = "a compacted record with the history"
    project_path = ("payload", "cwd")

    def append(self, compacted: Compacted) -> list[Any]:
        items = [item for _, value in compacted.records if (item := _item(value)) is not None]
        stamps = compacted.stamps()
        payload = {"message": "", "replacement_history": items}
        values: list[Any] = [{"timestamp": next(stamps), "type": "compacted", "payload": payload}]
        return _with_ordinals(compacted, values + _count(compacted, next(stamps)))

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        payload = value.get("payload") if isinstance(value, dict) else None
        if not isinstance(payload, dict):
            return {}
        is_head = value.get("type") == "session_meta"
        if is_head and payload.get("id") != old:
            return {}  # the header of the session that this one was forked from
        names = [name for name in (_HEAD_ID_KEYS if is_head else _RECORD_ID_KEYS) if payload.get(name) == old]
        return {("payload", name): jsonedit.encode(new) for name in names}


def _with_ordinals(compacted: Compacted, values: list[Any]) -> list[Any]:
    """Return the records numbered after the last one, if the rollout's records have numbers."""
    first_ordinal = next_ordinal(compacted.before)
    if first_ordinal is None:
        return values
    return [{**value, "ordinal": first_ordinal + offset} for offset, value in enumerate(values)]


def _item(value: Any) -> Any:
    """Return the item of a record. The message of an older compaction becomes a user message."""
    payload = value["payload"]
    if value.get("type") == "response_item":
        return payload
    if value.get("type") == DELIVERY:
        names = {name: payload[name] for name in ("id", "author", "recipient") if name in payload}
        return {"type": AGENTS, **names, "content": _blocks(payload)}
    text = payload.get("message")
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} if text else None


def _blocks(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the content of a message from another agent."""
    kinds = {"content": ("input_text", "text"), "encrypted_content": ("encrypted_content", "encrypted_content")}
    return [{"type": kind, key: payload[name]} for name, (kind, key) in kinds.items() if payload.get(name)]


def _count(compacted: Compacted, stamp: str) -> list[Any]:
    """Return the newest count, scaled to the current context; the agent decides by it whether to compact."""
    before = compacted.before
    raw = (before.raw(record) for record in range(len(before.records) - 1, -1, -1))
    counts = (json.loads(line) for line in raw if b'"token_count"' in line)
    newest = next((value for value in counts if _FORMAT.usage(value)), None)
    if newest is None:
        return []
    share = compacted.after.tokens / max(1, before.tokens)
    info = newest["payload"]["info"]
    last = {name: math.ceil(n * share) if isinstance(n, int) else n for name, n in info["last_token_usage"].items()}
    payload = {**newest["payload"], "info": {**info, "last_token_usage": last}}
    return [{**newest, "timestamp": stamp, "payload": payload}]
