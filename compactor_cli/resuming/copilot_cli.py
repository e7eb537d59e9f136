"""Copilot CLI: a completed compaction, followed by new events for what is kept."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.values import inner, word
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Agentic, Compacted


class ResumedCopilotCLI(Agentic):
    format = "copilot-cli"
    appends = "a compaction, followed by what is kept"
    project_path = ("data", "context", "cwd")

    def append(self, compacted: Compacted) -> list[Any]:
        stamps = compacted.stamps()
        summary, kept = compacted.lead()
        tokens, count = compacted.before.tokens, len(compacted.before.messages)
        began = {"conversationTokens": tokens}
        result = {"success": True, "preCompactionTokens": tokens, "preCompactionMessagesLength": count}
        events: list[tuple[str, Any]] = [
            ("session.compaction_start", began),
            ("session.compaction_complete", {**result, "summaryContent": summary}),
            *((value["type"], value["data"]) for _, value in kept),
        ]
        parent, values = compacted.leaf, []
        for index, (kind, data) in enumerate(events):
            event_id = compacted.id("event", index)
            head = {"id": event_id, "timestamp": next(stamps), "parentId": parent or None}
            values.append({"type": kind, "data": data, **head})
            parent = event_id
        return values

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        paths = (("data", "sessionId"), ("data", "input", "sessionId"))  # the second is in what a hook was given
        return {path: jsonedit.encode(new) for path in paths if old and word(inner(value, *path[:-1]), path[-1]) == old}
