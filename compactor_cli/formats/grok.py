"""Grok Build: `chat_history.jsonl`, one row per line: system, user, reasoning, assistant, tool_result.

The model's thoughts are in rows before its answer, and so are calls that the provider ran itself. All of these rows
form one message with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.values import as_text, block_text, is_image, listed, objects, without_data, word
from compactor_cli.model.injected import origin_of_blocks
from compactor_cli.model.message import Message, Origin, Part, Place

_SAID_MEANWHILE = "interjection"
"""The reason on a `user` row that the user wrote while the agent was working. All other reasons are the agent's own."""
_KNOWN = {"reasoning": "summary", "backend_tool_call": "kind", "tool_result": "tool_call_id"}
"""Row type -> a member that distinguishes it from other formats."""


class Grok(Format):
    name = "grok"
    title = "Grok Build's chat_history.jsonl"

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if kind in _KNOWN:
            return 1.0 if _KNOWN[kind] in value else 0.0
        if kind not in ("system", "user", "assistant") or "content" not in value or "message" in value:
            return 0.0
        if kind == "assistant":
            return 1.0 if "model_id" in value or isinstance(value["content"], str) else 0.6
        if kind == "user":
            return 1.0 if {"prompt_index", "synthetic_reason"} & value.keys() else 0.6
        return 0.9 if len(value) == 2 and isinstance(value["content"], str) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        thinking: int | None = None
        """The message started by the rows before an answer."""
        for record, value in enumerate(values):
            kind = word(value, "type")
            if kind in ("reasoning", "backend_tool_call"):
                parts = [_thought(build, value)]
            elif kind == "assistant":
                parts = _answer(build, value, record)
            else:
                thinking = None
                _read_other(build, value, kind, record)
                continue
            if thinking is None:
                thinking = build.add("assistant", parts, (record,))
            else:
                build.extend(thinking, parts, record)
            thinking = None if kind == "assistant" else thinking
        return Reading(build.messages)

    def new_record(self, message: Message, around: Around) -> Any:
        part = message.parts[0]
        if part.kind == "tool_result":
            return {"type": "tool_result", "tool_call_id": part.call_id, "content": part.text}
        if message.role == "assistant":
            return {"type": "assistant", "content": part.text, "tool_calls": []}
        return {"type": "user", "content": [{"type": "text", "text": part.text}], "synthetic_reason": "compaction"}


def _read_other(build: Builder, value: Any, kind: str, record: int) -> None:
    if kind == "system":
        build.add("system", _content(build, value, record), (record,))
    elif kind == "user":
        parts = _content(build, value, record)
        build.add("user", parts, (record,), origin=_origin(value, parts))
    elif kind == "tool_result":
        part = build.result(value, record, ("content",), call_id=as_text(value.get("tool_call_id")))
        build.add("tool", [part], (record,))


def _origin(value: dict[str, Any], parts: Sequence[Part]) -> Origin:
    origin = origin_of_blocks(parts)
    reason = word(value, "synthetic_reason")
    if reason and reason != _SAID_MEANWHILE:
        return origin if origin == "summary" else "injected"
    return "request" if origin == "other" and parts else origin


def _thought(build: Builder, value: dict[str, Any]) -> Part:
    """Return a thought, or a call that the provider ran itself."""
    if word(value, "type") != "reasoning":
        return build.part("other", jsonedit.dump(without_data(value.get("kind"))))
    summary = value.get("summary")
    texts = [block_text(block) for block in summary] if isinstance(summary, list) else [as_text(summary)]
    return build.part("thinking", "\n".join(text for text in texts if text))


def _answer(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    parts = _content(build, value, record)
    for index, call in objects(value.get("tool_calls")):
        path, name = ("tool_calls", index, "arguments"), word(call, "name")
        parts.append(build.call(call.get("arguments"), record, path, name=name, call_id=word(call, "id")))
    return parts


def _content(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    content = value.get("content")
    if isinstance(content, str):
        return build.text(content, record, ("content",))
    parts = []
    for index, block in enumerate(listed(content)):
        if is_image(block):
            parts.append(build.image(Place(record, ("content", index), "block:text")))
        elif word(block, "type") == "text":
            parts.append(build.part("text", as_text(block.get("text")), Place(record, ("content", index, "text"))))
        else:
            parts.append(build.part("other", block_text(block)))
    return parts
