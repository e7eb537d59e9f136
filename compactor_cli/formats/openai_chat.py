"""OpenAI chat completions, a message a line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import (
    EACH,
    Around,
    Builder,
    Counter,
    ListPath,
    PlainEdits,
    Reading,
    block_kinds,
    block_text,
    body,
    is_image,
    parse_time,
    tool_arguments,
    word,
)
from compactor_cli.formats.blocks import BLOCK_TYPES
from compactor_cli.formats.text_actions import mark_outputs
from compactor_cli.model.message import LEGACY_ID, Message, Origin, Part, Place, Role
from compactor_cli.text.injected import origin_of

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_OURS_ALONE = ("tool_calls", "tool_call_id", "tool_call_ids", "function_call", "reasoning_content", "refusal")


class OpenAIChat(PlainEdits):
    name = "openai-chat"
    generic = True
    lists: tuple[ListPath, ...] = (
        *(ListPath((key,)) for key in ("messages", "history", "conversations", "conversation", "trajectory")),
        ListPath(("body", "messages")),
        ListPath(("samples", EACH, "messages")),
        ListPath(()),
    )

    def recognize(self, value: Any) -> float:
        role = word(value, "role")
        if role not in ROLES or "content" not in value:
            return 0.9 if role in ROLES and value.get("tool_calls") else 0.0
        content = value["content"]
        if "toolCalls" in value:
            return 0.0
        if any(key in value for key in _OURS_ALONE) or role in ("system", "developer", "function"):
            return 1.0
        if isinstance(content, list):
            kinds = block_kinds(content)
            if kinds & BLOCK_TYPES or kinds & {"tool-call", "tool-result"}:
                return 0.0
            return 0.9 if kinds & {"image_url", "input_audio", "refusal"} else 0.7
        return 0.8 if content is None or isinstance(content, str) else 0.3

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, legacy, spoken = Builder(counter), _LegacyCalls(), False
        for record, value in enumerate(values):
            role = ROLES.get(word(value, "role"))
            if role is None:
                continue  # no message: it passes through
            parts = _result_parts(build, value, record, legacy) if role == "tool" else _parts(build, value, record)
            if role == "assistant":
                parts += _calls(build, value, record, legacy)
            spoken = spoken or role == "assistant"
            build.add(
                role,
                parts,
                (record,),
                id=value["id"] if isinstance(value.get("id"), str) else "",
                timestamp=parse_time(value.get("timestamp") or value.get("created_at")),
                origin=_origin(role, value, parts, answering=spoken),
            )
        return Reading(mark_outputs(build.messages))

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        if part.kind != "tool_result":
            return {"role": message.role, "content": part.text}
        if part.call_id.startswith(LEGACY_ID):
            return {"role": "function", "name": part.name, "content": part.text}
        return {"role": "tool", "tool_call_id": part.call_id, "content": part.text}


class _LegacyCalls:
    """`function_call` has no ids: a result answers the oldest open call of its name."""

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = defaultdict(list)
        self._count = 0

    def call(self, name: str) -> str:
        self._count += 1
        self._open[name].append(f"{LEGACY_ID}{self._count}")
        return self._open[name][-1]

    def result(self, name: str) -> str:
        waiting = self._open[name]
        return waiting.pop(0) if waiting else f"{LEGACY_ID}unknown"


def _origin(role: Role, value: dict[str, Any], parts: list[Part], *, answering: bool) -> Origin:
    if role not in ("user", "assistant", "system"):
        return "other"
    origin = origin_of("\n".join(p.text for p in parts if p.kind == "text"))
    if role != "user":
        return origin if origin == "summary" else "other"
    if origin == "request" and answering and value.get("message_type") == "observation":
        return "injected"  # SWE-agent keeps what a command printed under the role user
    if origin == "other" and any(p.kind in ("image", "other") for p in parts):
        return "request"
    return origin


def _parts(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    content, parts = value.get("content"), []
    if isinstance(value.get("reasoning_content"), str) and value["reasoning_content"]:
        parts.append(build.part("thinking", value["reasoning_content"]))
    if isinstance(content, str):
        if content:
            parts.append(build.part("text", content, Place(record, ("content",))))
    elif isinstance(content, list):
        parts += [_block(build, block, at, record) for at, block in enumerate(content)]
    elif content is not None:
        parts.append(build.part("other", block_text(content)))
    return parts


def _block(build: Builder, block: Any, at: int, record: int) -> Part:
    if isinstance(block, str):
        return build.part("text", block, Place(record, ("content", at)))
    if is_image(block):
        return build.image(Place(record, ("content", at), "block:text"))
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        return build.part("text", block["text"], Place(record, ("content", at, "text")))
    return build.part("other", block_text(block))


def _calls(build: Builder, value: dict[str, Any], record: int, legacy: _LegacyCalls) -> list[Part]:
    calls = value.get("tool_calls")
    parts = []
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        if not isinstance(call, dict):
            continue
        path: tuple[str | int, ...] = ("tool_calls", at)
        function, holder = call.get("function"), call
        if isinstance(function, dict):
            name, holder, path = str(function.get("name") or ""), function, (*path, "function")
        else:  # Inspect logs: the function is a name, its arguments stand beside it
            name = str(function or call.get("name") or "")
        parts.append(_call(build, name, holder, path, record, str(call.get("id") or "")))
    function = value.get("function_call")
    if isinstance(function, dict) and not parts:
        name = str(function.get("name") or "")
        parts.append(_call(build, name, function, ("function_call",), record, legacy.call(name)))
    return parts


def _call(
    build: Builder, name: str, holder: dict[str, Any], path: tuple[str | int, ...], record: int, call_id: str
) -> Part:
    arguments = holder.get("arguments")
    place = Place(record, (*path, "arguments"), "string" if isinstance(arguments, str) else "json")
    return build.part(
        "tool_call",
        tool_arguments(arguments),
        place if "arguments" in holder else None,
        name=name,
        call_id=call_id,
    )


def _result_parts(build: Builder, value: dict[str, Any], record: int, legacy: _LegacyCalls) -> list[Part]:
    text, images, place = body(value.get("content"), ("content",), record)
    name = str(value.get("name") or value.get("function") or "")
    ids = value.get("tool_call_ids")
    ids = [str(i) for i in ids] if isinstance(ids, list) and ids else [str(value.get("tool_call_id") or "")]
    if value["role"] == "function":
        ids = [legacy.result(name)]
    first = build.part(
        "tool_result",
        text,
        place if "content" in value else None,
        name=name,
        call_id=ids[0],
        failed=True if value.get("error") else None,
        images=images,
    )
    return [first, *(build.part("tool_result", "", call_id=other) for other in ids[1:])]
