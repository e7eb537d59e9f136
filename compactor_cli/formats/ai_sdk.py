"""The message shape of seed 001 (Vercel AI SDK), one message per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.values import as_text, block_kinds, block_text, body, is_image, listed, objects, word
from compactor_cli.model.injected import origin_of_blocks
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role
from compactor_cli.text.times import parse_time

_ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")
_OUTPUTS = frozenset(("text", "json", "error-text", "error-json", "content"))
"""Types of what a tool returned, from version 5 of the SDK on."""
_PARTS = frozenset(("tool-call", "tool-result", "reasoning"))


class AISDK(Format):
    name = "ai-sdk"
    title = "Vercel AI SDK model messages"
    summary_roles = ("user", "assistant", "system")
    generic = True
    lists = (ListPath(("messages",)), ListPath(()))
    summary_role = "assistant"

    def recognize(self, value: Any) -> float:
        if word(value, "role") not in _ROLES:
            return 0.0
        if isinstance(value.get("toolCalls"), list):
            return 1.0
        content = value.get("content")
        if isinstance(content, list):
            kinds = block_kinds(content)
            return 1.0 if kinds & _PARTS else (0.5 if kinds <= {"text", "image", "file"} else 0.0)
        return 0.5 if isinstance(content, str) and "tool_call_id" not in value and "tool_calls" not in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        for record, value in enumerate(values):
            role = next((known for known in _ROLES if known == word(value, "role")), None)
            if role is None:
                continue  # not a message: passed through
            parts = _parts(build, value, record)
            origin: Origin = origin_of_blocks(parts)
            if role != "user" and origin != "summary":
                origin = "other"
            time = parse_time(value.get("timestamp") or value.get("createdAt"))
            build.add(role, parts, (record,), id=word(value, "id"), timestamp=time, origin=origin)
        return Reading(build.messages)

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        if part.kind != "tool_result":
            return {"role": message.role, "content": part.text}
        block = {"type": "tool-result", "toolCallId": part.call_id, "toolName": part.name, "result": part.text}
        return {"role": "tool", "content": [block]}


def _parts(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    content = value.get("content")
    parts = build.text(content, record, ("content",))
    parts += [_block(build, block, ("content", index), record) for index, block in enumerate(listed(content))]
    return parts + [_call(build, call, ("toolCalls", n), record) for n, call in objects(value.get("toolCalls"))]


def _block(build: Builder, block: Any, path: Path, record: int) -> Part:
    if not isinstance(block, dict):
        return build.part("text", as_text(block))
    kind = block.get("type")
    if kind == "text":
        return build.part("text", as_text(block.get("text")), Place(record, (*path, "text")))
    if is_image(block):
        return build.image(Place(record, path, "block:text"))
    if kind == "tool-call":
        return _call(build, block, path, record)
    if kind == "tool-result":
        key = "result" if "result" in block else "output"
        text, place, images, failed = _output(block.get(key), (*path, key), record)
        failed = block["isError"] if isinstance(block.get("isError"), bool) else failed
        own, name, call_id = place if key in block else None, *_names(block)
        return build.part("tool_result", text, own, name=name, call_id=call_id, failed=failed, images=images)
    if kind == "reasoning":
        return build.part("thinking", as_text(block.get("text")))
    return build.part("other", block_text(block))


def _names(block: dict[str, Any]) -> tuple[str, str]:
    return str(block.get("toolName") or ""), str(block.get("toolCallId") or "")


def _output(value: Any, path: Path, record: int) -> tuple[str, Place, int, bool | None]:
    """Return what a tool returned: any value, or from version 5 of the SDK on `{type, value}`, which stays one."""
    kind = word(value, "type")
    if kind == "execution-denied":
        return as_text(value.get("reason")), Place(record, (*path, "reason")), 0, True
    if kind not in _OUTPUTS or "value" not in value:
        return as_text(value), Place(record, path), 0, None
    inner, failed = value["value"], True if kind.startswith("error-") else None
    if kind == "content" and isinstance(inner, list):
        text, images, place = body(inner, (*path, "value"), record)
        return text, place, images, None
    if isinstance(inner, str) and not kind.endswith("json"):
        return inner, Place(record, (*path, "value")), 0, failed
    return as_text(inner), Place(record, path, "value:error-text" if failed else "value:text"), 0, failed


def _call(build: Builder, call: dict[str, Any], path: Path, record: int) -> Part:
    key = "args" if "args" in call else "input"
    place = Place(record, (*path, key), "json") if isinstance(call.get(key), dict) else None
    name, call_id = _names(call)
    return build.part("tool_call", as_text(call.get(key)), place, name=name, call_id=call_id)
