"""Memory entries of seed 000: `{id, content, type, importance, timestamp, metadata}`, one per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.values import as_text, inner
from compactor_cli.model.message import Marks, Message, Origin, Part, Place, Role
from compactor_cli.summary_text.headers import is_recalled, is_summary
from compactor_cli.text.times import parse_time

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


class MemoryEntries(Format):
    name = "memory"
    title = "memory entries: {id, content, type, importance, timestamp}"
    summary_roles = ("user", "assistant", "system")
    adjacent_results = False

    def recognize(self, value: Any) -> float:
        if not isinstance(value, dict) or "content" not in value or "role" in value or "message" in value:
            return 0.0
        known_keys = sum(key in value for key in ("id", "type", "importance", "timestamp", "metadata"))
        return 1.0 if known_keys >= 4 else (0.8 if known_keys == 3 and "timestamp" in value else 0.0)

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        for record, value in enumerate(values):
            if not isinstance(value, dict) or "content" not in value:
                continue  # not a message: passed through
            text, metadata = as_text(value["content"]), inner(value, "metadata")
            role, parts = _role(metadata), [build.part("text", text, Place(record, ("content",)))]
            name, time = as_text(value.get("id")), parse_time(value.get("timestamp"))
            index = build.add(role, parts, (record,), id=name, timestamp=time, origin=_origin(text, role))
            build.messages[index] = replace(build.messages[index], marks=_marks(value, metadata))
        return Reading(build.messages)

    def new_record(self, message: Message, around: Around) -> Any:
        part: Part = message.parts[0]
        kind = message.marks.type if message.marks else "summary" if message.origin == "summary" else "conversation"
        return {
            "id": f"{kind}-{around.key[:12]}",
            "content": part.text,
            "type": kind,
            "timestamp": around.template.get("timestamp"),
            "metadata": {"role": message.role},
        }


def _role(metadata: dict[str, Any]) -> Role:
    stated = _ROLES.get(str(metadata.get("role")))
    if stated:
        return stated
    if "toolResult" in metadata or metadata.get("isToolError"):
        return "tool"
    return "assistant" if metadata.get("agent") else "user"


def _origin(text: str, role: Role) -> Origin:
    if is_summary(text):
        return "summary"
    if role != "user":
        return "other"
    return "injected" if is_recalled(text) else "request"


def _marks(value: dict[str, Any], metadata: dict[str, Any]) -> Marks:
    result = metadata.get("toolResult")
    success = result.get("success") if isinstance(result, dict) else None
    return Marks(
        type=as_text(value.get("type")),
        importance=as_text(value.get("importance")),
        tool_success=success if isinstance(success, bool) else None,
        tool_error=bool(metadata.get("isToolError")),
    )
