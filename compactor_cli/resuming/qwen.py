"""Qwen Code: a `chat_compression` record with the history that replaces everything before it."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.qwen import ENVELOPE, history_of
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Compacted, last_value, member

_COMPRESSED = 1
"""The agent's status code for a successful compression."""


class ResumedQwen:
    format = "qwen"
    appends = "a chat_compression record with the history"
    lines = True

    def project(self, value: Any) -> str:
        return member(value, "cwd")

    def append(self, compacted: Compacted) -> list[Any]:
        template = last_value(compacted.before)
        history: list[Any] = []
        for _, value in compacted.records:
            saved_history = history_of(value)
            history += [value["message"]] if saved_history is None else saved_history
        counts = {"originalTokenCount": compacted.before.tokens, "newTokenCount": compacted.after.tokens}
        return [
            {
                "uuid": compacted.id("compression"),
                "parentUuid": compacted.leaf or None,
                **{name: template[name] for name in ENVELOPE if name in template},
                "timestamp": next(compacted.stamps()),
                "type": "system",
                "subtype": "chat_compression",
                "systemPayload": {
                    "info": {**counts, "compressionStatus": _COMPRESSED},
                    "compressedHistory": history,
                },
            }
        ]

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        has_session_id = isinstance(value, dict) and isinstance(value.get("sessionId"), str)
        return {("sessionId",): jsonedit.encode(new)} if has_session_id else {}
