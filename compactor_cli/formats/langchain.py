"""LangChain messages in their three forms: `{type, data}`, the constructor form of `dumpd`, and flat.

The members that all forms share are in `data`, in `kwargs`, or in the record itself. A message may hold its calls
several times: in `tool_calls`, in `additional_kwargs` as the provider sent them, and among its content blocks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import EACH, Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.chat import call_parts, content_parts, origin_in_chat
from compactor_cli.formats.runs import RUN_LISTS, counted_in_run
from compactor_cli.formats.values import body, inner, listed, objects, sum_of, word
from compactor_cli.model.message import Message, Part, Path, Role

_ROLES: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_TYPES: dict[Role, str] = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}
_CLASSES = {"user": "HumanMessage", "assistant": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}


class _MessageForm(NamedTuple):
    """The content of a record, independent of its form."""

    role: Role
    message: dict[str, Any]
    base: Path
    confidence: float


class LangChain(Format):
    name = "langchain"
    title = "LangChain messages: dicts, constructors (dumpd), flat"
    summary_roles = ("user", "assistant", "system")
    lists = (
        *(ListPath(path) for path in (("messages",), ("kwargs", "messages"), ("values", "messages"), ())),
        ListPath(("channel_values", "messages")),
        ListPath(("messages", EACH)),
        *RUN_LISTS,
    )
    usage_words = (b'"usage_metadata"',)

    def recognize(self, value: Any) -> float:
        form = _message_form(value)
        return form.confidence if form else 0.0

    def usage(self, value: Any) -> int | None:
        form = _message_form(value)
        return sum_of(form.message.get("usage_metadata"), "input_tokens", "output_tokens") if form else None

    counted = staticmethod(counted_in_run)

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, legacy, spoken = Builder(counter), CallIds(), False
        for record, value in enumerate(values):
            form = _message_form(value)
            if form is None:
                continue  # not a message: passed through
            parts = _parts(build, form, record, legacy)
            spoken = spoken or form.role == "assistant"
            origin = origin_in_chat(form.role, form.message, parts, answering=spoken)
            build.add(form.role, parts, (record,), id=word(form.message, "id"), origin=origin)
        return Reading(build.messages)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        calls = {part.call_id: text for part, text in edited if part.kind == "tool_call" and part.call_id}
        form = _message_form(json.loads(raw)) if calls else None
        return changes | _copies(form, calls) if form else changes

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        content: dict[str, Any] = {"content": part.text, "type": _TYPES[message.role]}
        if part.kind == "tool_result":
            content |= {"tool_call_id": part.call_id, "status": "error"}
        template = around.template
        if word(template, "type") == "constructor":
            class_path = [*template["id"][:-1], _CLASSES[message.role]] if isinstance(template.get("id"), list) else []
            return {"lc": 1, "type": "constructor", "id": class_path, "kwargs": content}
        return {"type": content["type"], "data": content} if isinstance(template.get("data"), dict) else content


def _message_form(value: Any) -> _MessageForm | None:
    """Return the form of a record; None if it is not a LangChain message."""
    kind = word(value, "type")
    if not kind or "message" in value:
        return None
    if kind == "constructor":
        names, message = value.get("id"), value.get("kwargs")
        name = names[-1] if isinstance(names, list) and names and isinstance(names[-1], str) else ""
        role = _ROLES.get(name.removesuffix("Chunk").removesuffix("Message").lower())
        return _MessageForm(role, message, ("kwargs",), 1.0) if role and isinstance(message, dict) else None
    role, message = _ROLES.get(kind.removesuffix("MessageChunk").lower()), value.get("data")
    if role is None:
        return None
    if isinstance(message, dict) and "content" in message:
        return _MessageForm(role, message, ("data",), 1.0)
    if "content" not in value:
        return None
    is_message_type = kind in ("human", "ai") or {"additional_kwargs", "response_metadata"} & value.keys()
    return _MessageForm(role, value, (), 1.0 if is_message_type else 0.5)


def _parts(build: Builder, form: _MessageForm, record: int, legacy: CallIds) -> list[Part]:
    if form.role == "tool":
        return [_result(build, form, record)]
    if form.role != "assistant":
        return content_parts(build, form.message, form.base, record)
    calls = _calls(build, form, record)
    if not calls:
        path = (*form.base, "additional_kwargs")
        calls = call_parts(build, inner(form.message, "additional_kwargs"), path, record, legacy)
    parts = content_parts(build, form.message, form.base, record)
    content, ids = form.message.get("content"), {part.call_id for part in calls}
    if isinstance(content, list):  # its blocks may repeat the calls
        parts = [part for part, block in zip(parts, content, strict=False) if word(block, "id") not in ids]
    return [*parts, *calls]


def _calls(build: Builder, form: _MessageForm, record: int) -> list[Part]:
    parts = []
    for key in ("tool_calls", "invalid_tool_calls"):
        for index, call in objects(form.message.get(key)):
            path, name = (*form.base, key, index, "args"), word(call, "name")
            parts.append(build.call(call.get("args"), record, path, name=name, call_id=word(call, "id")))
    return parts


def _result(build: Builder, form: _MessageForm, record: int) -> Part:
    text, images, place = body(form.message.get("content"), (*form.base, "content"), record)
    name, call_id = word(form.message, "name"), word(form.message, "tool_call_id")
    failed = {"error": True, "success": False}.get(word(form.message, "status"))
    return build.part("tool_result", text, place, name=name, call_id=call_id, failed=failed, images=images)


def _copies(form: _MessageForm, calls: dict[str, str]) -> dict[Path, str]:
    """Return the changes to further copies of the arguments in a message."""
    changes: dict[Path, str] = {}
    for index, block in enumerate(listed(form.message.get("content"))):
        if word(block, "id") in calls and isinstance(block.get("input"), dict):
            path: Path = (*form.base, "content", index, "input")
            changes[path] = calls[word(block, "id")]
    for index, call in objects(inner(form.message, "additional_kwargs").get("tool_calls")):
        if word(call, "id") in calls and isinstance(inner(call, "function").get("arguments"), str):
            path = (*form.base, "additional_kwargs", "tool_calls", index, "function", "arguments")
            changes[path] = jsonedit.encode(calls[word(call, "id")])
    return changes
