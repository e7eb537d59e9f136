"""Cursor's agent transcripts: `{role, message: {content: [...]}}`, one message per line, with Anthropic-style blocks.

Calls have no ids, and results may be missing. A result answers the oldest open call of the preceding message. A call
without a recorded result gets an empty one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.formats.anthropic_blocks import read_content
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.turns import turn_role
from compactor_cli.formats.values import word
from compactor_cli.model.message import LEGACY_ID, Message, Part

_ALIASES = {"tool_call": "tool_use", "tool-call": "tool_use", "tool-result": "tool_result"}


class Cursor(Format):
    name = "cursor"
    title = "Cursor's agent transcripts"

    def recognize(self, value: Any) -> float:
        if word(value, "type") == "turn_ended":
            return 0.9 if "status" in value else 0.0
        message = value.get("message") if isinstance(value, dict) else None
        if word(value, "role") not in ("user", "assistant") or not isinstance(message, dict) or "content" in value:
            return 0.0
        return 1.0 if "content" in message and "type" not in value else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, pairs = Builder(counter), _Pairs()
        for record, value in enumerate(values):
            message = value.get("message") if isinstance(value, dict) else None
            role = word(value, "role")
            if not isinstance(message, dict) or role not in ("user", "assistant"):
                continue
            parts = _parts(build, message.get("content"), record)
            own = next((index for index, part in enumerate(parts) if part.kind == "tool_call"), len(parts))
            answered = [pairs.with_id(part, record) for part in parts[:own]]  # before the calls of this message
            if any(part.kind != "tool_result" for part in parts):
                _answer_with_nothing(build, pairs)
            parts = answered + [pairs.with_id(part, record) for part in parts[own:]]
            sent, origin = turn_role("user" if role == "user" else "assistant", parts)
            build.add(sent, parts, (record,), origin=origin)
        return Reading(build.messages)

    def new_record(self, message: Message, around: Around) -> Any:
        role = "assistant" if message.role == "assistant" else "user"
        part = message.parts[0]
        if part.kind == "tool_result":
            return {"role": role, "message": {"content": [{"type": "tool_result", "content": part.text}]}}
        return {"role": role, "message": {"content": [{"type": "text", "text": part.text}]}}


class _Pairs(Struct):
    """Calls waiting for their results, oldest first."""

    open_calls: dict[str, int] = field(default_factory=dict)
    """Id of a call -> its record."""
    _count: int = 0

    def with_id(self, part: Part, record: int) -> Part:
        """Return the part with the id of its call."""
        if part.kind == "tool_call":
            self._count += 1
            name = part.call_id or f"{LEGACY_ID}{self._count}"
            self.open_calls[name] = record
            return replace(part, call_id=name)
        if part.kind == "tool_result":
            oldest = next(iter(self.open_calls), f"{LEGACY_ID}unknown")
            name = part.call_id if part.call_id in self.open_calls else oldest
            self.open_calls.pop(name, None)
            return replace(part, call_id=name)
        return part


def _answer_with_nothing(build: Builder, pairs: _Pairs) -> None:
    """Add empty results for calls without one. They share the record of their call."""
    for call, record in pairs.open_calls.items():
        build.add("tool", [build.part("tool_result", "", call_id=call)], (record,), id=f"{record}:{call}")
    pairs.open_calls.clear()


def _parts(build: Builder, content: Any, record: int) -> list[Part]:
    """Return the parts of blocks, some of which have another type name than Anthropic's API uses."""
    if isinstance(content, list):
        kinds = [_ALIASES.get(word(block, "type")) for block in content]
        content = [{**block, "type": kind} if kind else block for block, kind in zip(content, kinds, strict=True)]
    return read_content(build, content, ("message", "content"), record)
