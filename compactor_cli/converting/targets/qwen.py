"""Convert to Qwen Code sessions: a chain of records that hold Gemini API contents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Home, Target, WriteContext, iso, times, uuid_of
from compactor_cli.converting.message_content import Conversation, SpeakerTurn
from compactor_cli.converting.parts import fit_parts, parts, response

_VERSION = "0.0.0"


class ToQwen(Target):
    name = "qwen"
    purpose = "a session that Qwen Code can resume"
    closes = True
    holds = frozenset[Attribute](("time", "failed"))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        return fit_parts(turns)

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        records: list[dict[str, Any]] = []
        parent: str | None = None
        for index, (turn, time) in enumerate(zip(conversation.turns, times(conversation, context), strict=True)):
            record = {
                "uuid": uuid_of(context.key, "record", index),
                "parentUuid": parent,
                "sessionId": conversation.session_id,
                "timestamp": iso(time),
                "cwd": conversation.cwd,
                "version": _VERSION,
                **_record_message(turn),
            }
            parent = str(record["uuid"])
            records.append(record)
        return records

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        slug = re.sub(r"[^A-Za-z0-9]", "-", conversation.cwd)
        place = f"~/.qwen/projects/{slug}/chats/{self.file_name(conversation, context)}"
        return Home(place, f"qwen --resume {conversation.session_id}")


def _record_message(turn: SpeakerTurn) -> dict[str, Any]:
    if turn.role == "tool":
        (result,) = turn.items
        status = "error" if result.failed else "success"
        display = {"callId": result.call_id, "status": status, "resultDisplay": result.text}
        message = {"role": "user", "parts": [response(result)]}
        return {"type": "tool_result", "message": message, "toolCallResult": display}
    content = [part for item in turn.items for part in parts(item)]
    if turn.role == "user":
        return {"type": "user", "message": {"role": "user", "parts": content}}
    return {"type": "assistant", "model": "unknown", "message": {"role": "model", "parts": content}}
