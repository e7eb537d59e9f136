"""Codex: a `compacted` record with the history that replaces all before it."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Compacted


class Codex:
    format = "codex"
    appends = "a compacted record with the history"
    lines = True

    def append(self, compacted: Compacted) -> list[Any]:
        items = [item for _, value in compacted.records if (item := _item(value)) is not None]
        payload = {"message": "", "replacement_history": items}
        return [{"timestamp": next(compacted.stamps()), "type": "compacted", "payload": payload}]

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        payload = value.get("payload") if isinstance(value, dict) and value.get("type") == "session_meta" else None
        if not isinstance(payload, dict) or payload.get("id") != old:
            return {}
        names = [name for name in ("id", "session_id") if payload.get(name) == old]
        return {("payload", name): jsonedit.encode(new) for name in names}


def _item(value: Any) -> Any:
    """The item of a record; the message of an older compaction, which stands for history, is the user's."""
    payload = value["payload"]
    if value.get("type") == "response_item":
        return payload
    text = payload.get("message")
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} if text else None
