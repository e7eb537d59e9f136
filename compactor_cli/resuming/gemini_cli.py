"""Gemini CLI: a `$set` of all messages."""

from __future__ import annotations

from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Agentic, Compacted


class ResumedGeminiCLI(Agentic):
    format = "gemini-cli"
    appends = "a $set of all messages"
    project_path = ("projectHash",)

    def append(self, compacted: Compacted) -> list[Any]:
        messages: list[Any] = []
        for _, value in compacted.records:
            changes = value.get("$set")
            messages += changes["messages"] if isinstance(changes, dict) else [value]
        return [{"$set": {"messages": messages, "lastUpdated": next(compacted.stamps())}}]

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        has_session_id = isinstance(value, dict) and value.get("sessionId") == old
        return {("sessionId",): jsonedit.encode(new)} if has_session_id else {}
