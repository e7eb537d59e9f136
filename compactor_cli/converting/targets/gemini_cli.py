"""Convert to Gemini CLI sessions: a header, then messages that hold their calls with the results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Home, Target, WriteContext, first_time, iso, moment, times, uuid_of
from compactor_cli.converting.message_content import Conversation, Item, SpeakerTurn
from compactor_cli.converting.parts import fit_parts, parts, response
from compactor_cli.formats.gemini_cli import UNSENT_PREFIXES

_USER_MARK, _OUTPUT_MARK = "[The user:]", "[Shown:]"
"""Prefixes for such a message, with and without text."""


class ToGeminiCLI(Target):
    name = "gemini-cli"
    purpose = "a session that Gemini CLI can resume"
    closes = True
    holds = frozenset[Attribute](("time", "failed"))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        return tuple(map(_mark_spoken, fit_parts(turns)))

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        stamps = [iso(time) for time in times(conversation, context)]
        messages: list[dict[str, Any]] = []
        for index, (turn, stamp) in enumerate(zip(conversation.turns, stamps, strict=True)):
            if turn.role == "tool":
                for item in turn.items:
                    _answer(messages[-1], item)
                continue
            head = {"id": uuid_of(context.key, "message", index), "timestamp": stamp}
            if turn.role == "user":
                content = [part for item in turn.items for part in parts(item)]
                messages.append({**head, "type": "user", "content": content})
            else:
                messages.append({**head, **_gemini(turn, stamp)})
        start = iso(first_time(conversation, context))
        header = {
            "sessionId": conversation.session_id,
            "projectHash": hashlib.sha256(conversation.cwd.encode("utf-8", "surrogatepass")).hexdigest(),
            "startTime": start,
            "lastUpdated": max([start, *stamps]),
            "kind": "main",
        }
        return (header, *messages)

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        began = moment(first_time(conversation, context))
        return f"session-{began:%Y-%m-%dT%H-%M}-{conversation.session_id[:8]}.jsonl"

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        # the name of a project's folder is in ~/.gemini/projects.json, which is not read here
        place = f"~/.gemini/tmp/PROJECT/chats/{self.file_name(conversation, context)}"
        return Home(place, f"gemini --resume {conversation.session_id}")


def _mark_spoken(turn: SpeakerTurn) -> SpeakerTurn:
    """Return a user message, prefixed if the agent would otherwise not send it."""
    text = "".join(item.text for item in turn.items).strip()
    if turn.role != "user" or (text and not text.startswith(UNSENT_PREFIXES)):
        return turn
    return replace(turn, items=(Item("text", _USER_MARK if text else _OUTPUT_MARK), *turn.items))


def _gemini(turn: SpeakerTurn, stamp: str) -> dict[str, Any]:
    texts = [item.text for item in turn.items if item.kind == "text"]
    thoughts = [item.text for item in turn.items if item.kind == "thinking"]
    calls = [parts(item)[0]["functionCall"] for item in turn.items if item.kind == "call"]
    value: dict[str, Any] = {"type": "gemini", "content": [{"text": text} for text in texts]}
    if len(texts) < 2:
        value["content"] = "".join(texts)
    if calls:
        value["toolCalls"] = [{**call, "status": "success", "timestamp": stamp} for call in calls]
    if thoughts:
        value["thoughts"] = [{"subject": "", "description": text, "timestamp": stamp} for text in thoughts]
    return value


def _answer(message: dict[str, Any], item: Item) -> None:
    call = next(call for call in message["toolCalls"] if call["id"] == item.call_id)
    call["status"] = "error" if item.failed else "success"
    call["result"] = [response(item)]
    call["resultDisplay"] = item.text
