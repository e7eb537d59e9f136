"""Sessions of Kimi CLI (`context.jsonl`: messages and `_` rows) and of Kimi Code (`wire.jsonl`: its log)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats import kimi_wire as wire
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.values import as_text, inner, listed, numbers_in, sum_of, word
from compactor_cli.model.injected import origin_of
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role

_ROWS = ("_system_prompt", "_usage", "_checkpoint")
_KEYS = frozenset(("role", "content", "name", "tool_calls", "tool_call_id", "partial"))
"""The members of a Kimi message; a message with others is not Kimi's."""
_COMPACTION_START = "<system>Previous context has been compacted"
_MEDIA_BELOW = "Non-text parts are sent as a user message below.</system>"


class Kimi(Format):
    name = "kimi"
    title = "Kimi CLI contexts and Kimi Code logs"
    adjacent_results = False
    boundary_is_message = True
    usage_words = (b'"token_count"', b'"inputOther"')

    def recognize(self, value: Any) -> float:
        if word(value, "type"):
            return wire.recognize(value)
        role = word(value, "role")
        if role in _ROWS:
            return 1.0
        # a message alone could come from any chat
        if role not in ("user", "assistant", "tool") or not value.keys() <= _KEYS:
            return 0.0
        return 0.3 if "content" in value or "tool_calls" in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        if any(word(value, "type") for value in values):
            return wire.read(build, values)
        owners: dict[int, int] = {}
        for record, value in enumerate(values):
            if word(value, "role") == "_usage" and build.messages:
                owners[record] = len(build.messages) - 1
            elif word(value, "role"):
                _read(build, value, record)
        return Reading(build.messages, owners)

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        if word(template, "type"):
            return wire.new_record(message, template)
        part = message.parts[0]
        text = [{"type": "text", "text": part.text}]
        if part.kind == "tool_result":
            return {"role": "tool", "content": text, "tool_call_id": part.call_id}
        return {"role": "assistant" if message.role == "assistant" else "user", "content": text}

    def usage(self, value: Any) -> int | None:
        if word(value, "role") == "_usage":
            return sum_of(value, "token_count")
        return wire.usage(value)

    def counts(self, value: Any) -> list[Path]:
        return numbers_in(value, (), "token_count") if word(value, "role") == "_usage" else []

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        value = json.loads(raw)
        return super().edits(raw, edited) | (wire.copies(value, edited) if word(value, "type") else {})


def _read(build: Builder, value: dict[str, Any], record: int) -> None:
    role = value["role"]
    if role == "_system_prompt":
        prompt = as_text(value.get("content"))
        build.add("system", [build.part("text", prompt, Place(record, ("content",)))], (record,))
    elif role == "tool":
        result = build.result(value, record, ("content",), call_id=word(value, "tool_call_id"))
        failed = True if result.text.startswith("<system>ERROR") else None
        build.add("tool", [replace(result, failed=failed)], (record,))
    elif role in ("user", "assistant", "system"):
        parts = wire.content_parts(build, value.get("content"), ("content",), record)
        parts += _calls(build, value.get("tool_calls"), record)
        origin = _origin(build, role, parts)
        compacted = role == "user" and parts and parts[0].text.startswith(_COMPACTION_START)
        if parts:
            build.add(role, parts, (record,), origin="summary" if compacted else origin, pinned=bool(compacted))


def _origin(build: Builder, role: Role, parts: Sequence[Part]) -> Origin:
    """Return the origin of a message. Text in `<system>` comes from the agent, such as its checkpoints."""
    texts = [part.text for part in parts if part.kind == "text"]
    user_texts = [text for text in texts if not (text.startswith("<system>") and text.rstrip().endswith("</system>"))]
    origin = origin_of("\n".join(user_texts))
    if role != "user":
        return origin if origin == "summary" else "other"
    if not user_texts:
        previous = build.messages[-1] if build.messages else None
        follows = previous is not None and previous.role == "tool" and previous.text().endswith(_MEDIA_BELOW)
        return "injected" if texts or follows else "request"
    return "request" if origin == "other" else origin


def _calls(build: Builder, calls: Any, record: int) -> list[Part]:
    parts = []
    for index, call in enumerate(listed(calls)):
        function = inner(call, "function")
        arguments = function.get("arguments")
        place = Place(record, ("tool_calls", index, "function", "arguments")) if isinstance(arguments, str) else None
        name = word(function, "name")
        parts.append(build.part("tool_call", as_text(arguments), place, name=name, call_id=word(call, "id")))
    return parts
