"""Convert to Claude Code sessions: a chain of records, results as user records, and no system prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Home, Target, WriteContext, digest, iso, times, uuid_of
from compactor_cli.converting.blocks import blocks, fit_blocks
from compactor_cli.converting.message_content import Conversation, SpeakerTurn

_MODEL = "<synthetic>"
"""What the agent itself writes for messages that no model generated; their usage does not count."""
_VERSION = "2.0.0"


class ToClaudeCode(Target):
    name = "claude-code"
    purpose = "a session that Claude Code can resume"
    holds = frozenset[Attribute](("time", "failed", "injected"))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        turns = fitting.drop_lead(turns)
        return fit_blocks(fitting.system_as_user(turns, lead=False))

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        records: list[dict[str, Any]] = []
        parent: str | None = None
        for index, (turn, time) in enumerate(zip(conversation.turns, times(conversation, context), strict=True)):
            record = {
                "parentUuid": parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": conversation.cwd,
                "sessionId": conversation.session_id,
                "version": _VERSION,
                "gitBranch": "",
                **_record_message(turn, index, context),
                "uuid": uuid_of(context.key, "record", index),
                "timestamp": iso(time),
            }
            parent = str(record["uuid"])
            records.append(record)
        return records

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        slug = re.sub(r"[^A-Za-z0-9-]", "-", conversation.cwd)
        place = f"~/.claude/projects/{slug}/{self.file_name(conversation, context)}"
        return Home(place, f"claude --resume {conversation.session_id}")


def _record_message(turn: SpeakerTurn, index: int, context: WriteContext) -> dict[str, Any]:
    content = blocks(turn.items)
    if turn.role != "assistant":
        content_value = content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content
        return {"type": "user", "message": {"role": "user", "content": content_value}, **_flags(turn, index)}
    calls = any(item.kind == "call" for item in turn.items)
    message = {
        "id": f"msg_{digest(context.key, 'message', index)[:24]}",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    return {"type": "assistant", "message": message}


def _flags(turn: SpeakerTurn, index: int) -> dict[str, bool]:
    if turn.origin == "summary" and index == 0:
        return {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    return {"isMeta": True} if turn.role == "user" and turn.origin == "injected" else {}
