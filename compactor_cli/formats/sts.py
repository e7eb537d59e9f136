"""Session traces (STS): a header, then one `{type: "message", message: {...}}` per line, messages of OpenAI's API with
names in camel case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, PlainEdits, Reading
from compactor_cli.formats.chat import ROLES, content_parts, origin_in_chat
from compactor_cli.formats.values import arguments_place, as_text, body, word
from compactor_cli.model.message import Message, Part
from compactor_cli.text.times import parse_time

_BASE = ("message",)


class STS(PlainEdits):
    name = "sts"
    title = "session traces (STS) of the Hugging Face hub"

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if kind == "session":
            return 1.0 if word(value, "harness") else 0.0
        message = value.get("message") if kind == "message" else None
        if (
            not isinstance(message, dict)
            or word(message, "role") not in ROLES
            or "uuid" in value
            or "parentId" in value
        ):
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
            parts = _result(build, message, record) if role == "tool" else _answer_parts(build, message, record)
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
    calls = message.get("toolCalls")
    for index, call in enumerate(calls if isinstance(calls, list) else ()):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            saved = function.get("arguments")
            path = (*_BASE, "toolCalls", index, "function", "arguments")
            place = arguments_place(saved, record, path)
            name, call_id = word(function, "name"), word(call, "id")
            parts.append(build.part("tool_call", as_text(saved), place, name=name, call_id=call_id))
    return parts


def _result(build: Builder, message: dict[str, Any], record: int) -> list[Part]:
    text, images, place = body(message.get("content"), (*_BASE, "content"), record)
    text_place = place if "content" in message else None
    return [build.part("tool_result", text, text_place, call_id=word(message, "toolCallId"), images=images)]
