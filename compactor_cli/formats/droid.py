"""Droid sessions: a record a line, messages of Anthropic blocks that name their parents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compactor_cli.formats.base import Around, Builder, Counter, PlainEdits, Reading, block_kinds, parse_time, word
from compactor_cli.formats.blocks import new_content, read_content
from compactor_cli.formats.trees import chains, way_to_root
from compactor_cli.formats.turns import turn_role
from compactor_cli.model.message import Message, Part, Path, Role

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_ASIDE = ("todo_state", "compaction_state", "session_settings", "agent_turn_outcome")
_FAILED = re.compile(r"Error: Command failed \(exit code: \d+\)")
"""Begins what a command left that failed; the agent marks no such results."""


class Droid(PlainEdits):
    name = "droid"
    summary_roles: tuple[Role, ...] = ("user", "assistant")
    parent_path: Path | None = ("parentId",)

    def recognize(self, value: Any) -> float:
        kind = word(value, "type")
        if kind == "session_start" and word(value, "id"):
            return 1.0
        if kind in _ASIDE:
            return 0.9
        message = value.get("message") if kind == "message" else None
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            return 0.0
        if not word(value, "id") or value.keys() & {"uuid", "sessionId"}:
            return 0.0
        if message.keys() & {"timestamp", "stopReason"} or not isinstance(message.get("content"), list):
            return 0.0  # pi writes these
        kinds = block_kinds(message["content"])
        return 0.0 if "toolCall" in kinds else 1.0 if kinds & {"tool_use", "tool_result"} else 0.6

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        parents = _parents(values)
        messages = [record for record in parents if _is_message(values[record])]
        way = way_to_root(parents, messages[-1]) if messages else []
        for record in way:
            if _is_message(values[record]):
                _read_message(build, values[record], record)
        links = chains(parents, way)
        session = next((word(v, "id") for v in values if word(v, "type") == "session_start"), "")
        return Reading(build.messages, links=links + [None] * (len(values) - len(links)), session_id=session)

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template if isinstance(around.template, dict) else {}
        key, content = around.key, new_content(message)
        return {
            "type": "message",
            "id": f"{key[:8]}-{key[8:12]}-4{key[13:16]}-8{key[17:20]}-{key[20:32]}",
            **({"timestamp": template["timestamp"]} if "timestamp" in template else {}),
            "message": {
                "role": "assistant" if message.role == "assistant" else "user",
                "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
            },
            **({"parentId": around.parent} if around.parent and "parentId" in template else {}),
        }


def _is_message(value: Any) -> bool:
    return word(value, "type") == "message" and word(value.get("message"), "role") in _ROLES


def _parents(values: Sequence[Any]) -> dict[int, tuple[str, str, int | None]]:
    """Record -> its id, the id of its parent and the parent's record. A message that names no parent that is there
    follows the one before it."""
    own = {record: word(value, "id") for record, value in enumerate(values) if word(value, "id")}
    by_id = {name: record for record, name in own.items()}
    found: dict[int, tuple[str, str, int | None]] = {}
    before: int | None = None
    for record, name in own.items():
        parent = word(values[record], "parentId")
        found[record] = (name, parent, by_id.get(parent, before))
        before = record if _is_message(values[record]) else before
    return found


def _read_message(build: Builder, value: dict[str, Any], record: int) -> None:
    message = value["message"]
    parts = [_with_failure(p) for p in read_content(build, message.get("content"), ("message", "content"), record)]
    role, origin = turn_role(_ROLES[message["role"]], parts)
    build.add(role, parts, (record,), id=word(value, "id"), timestamp=parse_time(value.get("timestamp")), origin=origin)


def _with_failure(part: Part) -> Part:
    silent = part.kind == "tool_result" and part.failed is None
    return replace(part, failed=True) if silent and _FAILED.match(part.text) else part
