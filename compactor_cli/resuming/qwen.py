"""Qwen Code: a `chat_compression` record with the history that replaces everything before it."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats.qwen import ENVELOPE, history_of
from compactor_cli.resuming.base import Agentic, Compacted, last_value

_COMPRESSED = 1
"""The agent's status code for a successful compression."""


class ResumedQwen(Agentic):
    format = "qwen"
    appends = "a chat_compression record with the history"

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
                "systemPayload": {"info": {**counts, "compressionStatus": _COMPRESSED}, "compressedHistory": history},
            }
        ]
