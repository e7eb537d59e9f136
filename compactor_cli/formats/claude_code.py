"""Claude Code sessions: one API message may span several records, and records form a tree.

Only records after the last compact boundary are in the model's context. Earlier records, old branches and unknown
kinds of records pass through unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats.anthropic_blocks import COUNTS, new_content, read_content
from compactor_cli.formats.base import Around, Builder, Counter, Format, Reading
from compactor_cli.formats.claude_attachments import attachment_copies, is_nobodys, read_attachment
from compactor_cli.formats.claude_context import ClaudeContext, find_context, is_notice, is_turn, links_of
from compactor_cli.formats.copies import equal_copies, find_at, shortened_copies, shortened_texts
from compactor_cli.formats.turns import turn_role
from compactor_cli.formats.values import inner, numbers_in, sum_of, uuid_text, word
from compactor_cli.model.message import Message, Part, Path
from compactor_cli.text.times import parse_time

_KINDS = frozenset(
    ("user", "assistant", "system", "summary", "progress", "file-history-snapshot", "queue-operation", "attachment")
)
_ENVELOPE = ("sessionId", "agentId", "cwd", "gitBranch", "version", "userType", "slug")
_REPEATING = (b'"toolUseResult"', b'"rendered"', b'"wireToolInputs"')
"""At least one of these occurs in every record that repeats its own text."""


class ClaudeCode(Format):
    name = "claude-code"
    title = "Claude Code sessions"
    adjacent_results = False
    parent_path = ("parentUuid",)
    tip_path = ("leafUuid",)

    def recognize(self, value: Any) -> float:
        if not word(value, "type"):
            return 0.0
        if value["type"] in ("user", "assistant"):
            message = value.get("message")
            is_message = isinstance(message, dict) and "content" in message and "uuid" in value
            return (1.0 if "sessionId" in value else 0.8) if is_message else 0.0
        if value["type"] in _KINDS:
            is_own_record = "message" not in value and (value["type"] != "system" or "uuid" in value)
            return 0.8 if is_own_record else 0.3
        return 0.4 if "sessionId" in value else 0.0  # an unknown kind, possibly from another agent

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build = Builder(counter)
        context = find_context(values)
        by_message: dict[str, int] = {}
        owners: dict[int, int] = {}
        for record, value in enumerate(values):
            if not isinstance(value, dict) or not context.is_in_context(record, value) or is_notice(value):
                continue
            if is_turn(value):
                _read_turn(build, value, record, by_message, pinned=record in context.kept_ends)
            elif value.get("type") == "attachment":
                _read_attachment(build, value, record)
        _add_owners(values, context, build.messages, owners)
        session = next((v["sessionId"] for v in values if isinstance(v, dict) and v.get("sessionId")), "")
        links = links_of(values, context)
        of_record = {record: message.index for message in build.messages for record in message.records}
        repeats = {record: of_record[first] for record, first in context.repeated.items() if first in of_record}
        owners |= repeats
        return Reading(build.messages, owners, links, set(repeats), outside=context.outside, session_id=str(session))

    usage_words = (b'"usage"',)

    def usage(self, value: Any) -> int | None:
        return sum_of(inner(value, "message", "usage"), *COUNTS)

    def counts(self, value: Any) -> list[Path]:
        return numbers_in(inner(value, "message", "usage"), ("message", "usage"))

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        value = json.loads(raw) if any(mark in raw for mark in _REPEATING) else {}
        for part, text in edited:
            if part.place and part.place.path[0] != "message":
                changes |= attachment_copies(value, part.place.path, text)
            elif part.kind == "tool_call":
                changes |= _wire_copies(value, part, text)
        if any(part.kind == "tool_result" for part, _ in edited) and "toolUseResult" in value:
            copy = next(text for part, text in edited if part.kind == "tool_result")
            changes |= shortened_copies(value["toolUseResult"], ("toolUseResult",), copy)
        return changes

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        key = around.key
        role = "user" if message.role == "tool" else message.role
        body: dict[str, Any] = {"role": role, "content": new_content(message)}
        if role == "assistant":
            texts = [{"type": "text", "text": message.parts[0].text}]
            body = {"id": f"msg_{key[:24]}", "type": "message", **body, "content": texts}
        # the agent sets this mark on a summary that begins its context, and shows it collapsed
        begins = message.origin == "summary" and not around.parent
        flags = ("isCompactSummary", "isVisibleInTranscriptOnly") if begins else ()
        return {
            "parentUuid": around.parent or None,
            "isSidechain": bool(template.get("isSidechain")),
            **{name: template[name] for name in _ENVELOPE if name in template},
            "type": role,
            "message": body,
            **dict.fromkeys(flags, True),
            "uuid": uuid_text(key, version=5),
            "timestamp": template.get("timestamp"),
        }


def _wire_copies(value: dict[str, Any], part: Part, text: str) -> dict[Path, str]:
    """Return the changes to a call's input as the model wrote it (`wireToolInputs`). The agent sends this instead of
    the input that it ran, so it is shortened too."""
    inputs = value.get("wireToolInputs")
    if part.place is None or not isinstance(inputs, dict) or part.call_id not in inputs:
        return {}
    texts = shortened_texts(find_at(value, part.place.path), text)
    return equal_copies(inputs[part.call_id], ("wireToolInputs", part.call_id), texts)


def _read_turn(build: Builder, value: dict[str, Any], record: int, by_message: dict[str, int], *, pinned: bool) -> None:
    message = value["message"]
    parts = read_content(build, message.get("content"), ("message", "content"), record)
    message_id = message.get("id")
    if value["type"] == "assistant" and isinstance(message_id, str) and message_id in by_message:
        build.extend(by_message[message_id], parts, record)
        return
    role, origin = turn_role("assistant" if value["type"] == "assistant" else "user", parts)
    outside = bool(value.get("isCompactSummary")) and origin != "summary"
    if outside:
        origin = "summary"
    elif role == "user" and origin == "request" and (value.get("isMeta") or is_nobodys(value)):
        origin = "injected"
    name, time = str(value.get("uuid") or ""), parse_time(value.get("timestamp"))
    pinned = outside or pinned  # no record holds what it stands for; our own can be folded into the next one
    index = build.add(role, parts, (record,), id=name, timestamp=time, origin=origin, pinned=pinned)
    if isinstance(message_id, str):
        by_message[message_id] = index


def _read_attachment(build: Builder, value: dict[str, Any], record: int) -> None:
    parts, origin = read_attachment(build, value, record)
    if parts:
        name, time = str(value.get("uuid") or ""), parse_time(value.get("timestamp"))
        build.add("user", parts, (record,), id=name, timestamp=time, origin=origin)


def _add_owners(values: Sequence[Any], context: ClaudeContext, messages: list[Message], owners: dict[int, int]) -> None:
    """Assign records that only accompany a message to that message: progress of a call, snapshots, timings."""
    by_record = {record: m.index for m in messages for record in m.records}
    by_call = {part.call_id: m.index for m in messages for part in m.calls}
    by_uuid = {str(values[record].get("uuid")): index for record, index in by_record.items()}
    for record in range(context.start, len(values)):
        value = values[record]
        if record in by_record or not isinstance(value, dict) or value.get("subtype") == "compact_boundary":
            continue
        if value.get("isSidechain") or value.get("type") == "summary" or record in context.branches:
            continue
        for key, known in (
            ("toolUseID", by_call),
            ("parentToolUseID", by_call),
            ("messageId", by_uuid),
            ("parentUuid", by_uuid),
        ):
            owner = known.get(value[key]) if isinstance(value.get(key), str) else None
            if owner is not None:
                owners[record] = owner
                if value.get("uuid"):
                    by_uuid.setdefault(str(value["uuid"]), owner)
                break
