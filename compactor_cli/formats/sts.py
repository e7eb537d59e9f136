"""Session traces (STS): a header, then one `{type: "message", message: {...}}` per line, messages of OpenAI's API with
names in camel case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.chat import ROLES, content_parts, origin_in_chat
from compactor_cli.formats.values import as_text, objects, word
from compactor_cli.model.message import Message, Part
from compactor_cli.text.times import parse_time

_BASE = ("message",)


class STS(Format):
    name = "sts"
    title = "session traces (STS) of the Hugging Face hub"
    summary_roles = ("user", "assistant", "system")

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if kind == "session":
            return 1.0 if word(value, "harness") else 0.0
        message = value.get("message") if kind == "message" else None
        if not isinstance(message, dict) or word(message, "role") not in ROLES or {"uuid", "parentId"} & value.keys():
            return 0.0
        own_keys = {"toolCalls", "toolCallId", "reasoningContent"} & message.keys()
        return 1.0 if own_keys else 0.6 if isinstance(message.get("content"), str) and "id" not in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, spoken = Builder(counter), False
        for record, value in enumerate(values):
            message = value.get("message") if isinstance(value, dict) else None
            role = ROLES.get(word(message, "role"))
            if role is None or not isinstance(message, dict):
                continue  # not a message: passed through
            if role == "tool":
                call_id = word(message, "toolCallId")
                parts = [build.result(message, record, (*_BASE, "content"), call_id=call_id)]
            else:
                parts = _answer_parts(build, message, record)
            spoken = spoken or role == "assistant"
            origin = origin_in_chat(role, message, parts, answering=spoken)
            build.add(role, parts, (record,), timestamp=parse_time(value.get("timestamp")), origin=origin)
        session = next((value.get("id") for value in values if word(value, "type") == "session"), "")
        return Reading(build.messages, session_id=as_text(session))

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        if part.kind == "tool_result":
            return {"type": "message", "message": {"role": "tool", "toolCallId": part.call_id, "content": part.text}}
        return {"type": "message", "message": {"role": message.role, "content": part.text}}


def _answer_parts(build: Builder, message: dict[str, Any], record: int) -> list[Part]:
    thought = as_text(message.get("reasoningContent"))
    parts = [build.part("thinking", thought)] if thought else []
    parts += content_parts(build, message, _BASE, record)
    for index, call in objects(message.get("toolCalls")):
        function = call.get("function")
        if isinstance(function, dict):
            path, name = (*_BASE, "toolCalls", index, "function", "arguments"), word(function, "name")
            parts.append(build.call(function.get("arguments"), record, path, name=name, call_id=word(call, "id")))
    return parts
