"""Hermes sessions: `{session_id, session_start, system_prompt, messages}`; database exports, with one session per line;
and logs, with one message per line after a header `{"role": "session_meta"}`.

Messages are OpenAI API messages plus what the agent needs to send them again. The summary written by the agent's own
compaction is among them; the messages that it replaced are in another session.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats import jsonedit
from compactor_cli.formats.anthropic_blocks import BLOCK_TYPES
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.call_ids import CallIds
from compactor_cli.formats.chat import ROLES, message_parts, new_message, origin_in_chat
from compactor_cli.formats.values import as_text, block_kinds, word
from compactor_cli.model.message import Message, Origin, Part, Path, Place, Role, text_in
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.times import parse_time

_HEAD_RECORD = "session_meta"
_SENT = "api_content"
"""What was sent instead of `content` when the agent added something."""
_SEALED_KEYS = ("reasoning_details", "codex_reasoning_items")
"""Thoughts that are sent again exactly as the provider made them."""
_SUMMARY = compiled_later(r"\s*\[CONTEXT (?:COMPACTION|SUMMARY)\b")
_SUMMARY_END = compiled_later(r"--- END OF CONTEXT SUMMARY\b[^\n]*---")
"""In a message that also holds a summary, the user's words follow this line."""
_INJECTED = compiled_later(
    r"\s*(?:\[(?:SYSTEM\b|System note\b|Your active task list was preserved)"
    r"|Continue from the compressed conversation context above\.)"
)
"""How messages begin that the agent writes in place of the user."""
_LIKE_A_CHAT = 0.1
"""A message alone looks like an OpenAI chat message. The log's header, or the members next to the list, identify the
format."""


class Hermes(Format):
    name = "hermes"
    title = "Hermes sessions"
    summary_roles = ("user", "assistant", "system")
    lists = (
        ListPath(("messages",), ("system_prompt",), beside=("session_id", "session_start")),
        ListPath(("messages",), ("system_prompt",), beside=("source", "started_at", "tool_call_count")),
    )

    def recognize(self, value: Any) -> float:
        role = word(value, "role")
        if role == _HEAD_RECORD:
            return 1.0 if "type" not in value else 0.0
        if role not in ROLES or "toolCalls" in value or not ("content" in value or value.get("tool_calls")):
            return 0.0
        kinds = block_kinds(value.get("content"))
        return 0.0 if kinds & BLOCK_TYPES or kinds & {"tool-call", "tool-result"} else _LIKE_A_CHAT

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, legacy, spoken = Builder(counter), CallIds(), False
        for record, value in enumerate(values):
            role = ROLES.get(word(value, "role"))
            if role is None:
                continue  # not a message: passed through
            parts = _parts(build, value, role, record, legacy)
            spoken = spoken or role == "assistant"
            origin, pinned = _origin(role, value, parts, answering=spoken)
            name, time = value.get("id"), parse_time(value.get("timestamp"))
            session_name = str(name) if isinstance(name, (str, int)) and name else ""
            build.add(role, parts, (record,), id=session_name, timestamp=time, origin=origin, pinned=pinned)
        session = word(document, "session_id") or word(document, "id")
        return Reading(build.messages, session_id=session)

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        value = json.loads(raw)
        for part, text in edited:
            path = part.place.path if part.place else ()
            if path == (_SENT,):
                changes[("content",)] = jsonedit.encode(text)
            elif path == ("content",) and isinstance(value, dict) and (added := _added_text(value)):
                changes[(_SENT,)] = jsonedit.encode(text + added)
        return changes

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        part = message.parts[0]
        tool_name = {"tool_name": part.name} if part.kind == "tool_result" and part.name else {}
        dated = {"timestamp": template["timestamp"]} if template.get("timestamp") else {}
        return {**new_message(message), **tool_name, **dated}


def _parts(build: Builder, value: dict[str, Any], role: Role, record: int, legacy: CallIds) -> list[Part]:
    parts = message_parts(build, value, role, record, legacy)
    if role == "tool":
        name = word(value, "tool_name")
        failed = _is_failed(value, parts[0].text)
        return [replace(part, name=name or part.name, failed=failed) for part in parts]
    if role == "assistant":
        thought = as_text(value.get("reasoning"))
        if not any(part.kind == "thinking" for part in parts) and (
            thought or any(value.get(key) for key in _SEALED_KEYS)
        ):
            parts.insert(0, build.part("thinking", thought))
        if value.get("codex_message_items"):  # these items repeat the text, and they are what is sent
            parts = [replace(part, place=None) if part.kind == "text" else part for part in parts]
    return _with_added_text(build, value, parts, record)


def _with_added_text(build: Builder, value: dict[str, Any], parts: list[Part], record: int) -> list[Part]:
    """Return the parts as they were sent, with the memories and notes that the agent added after the user's words."""
    sent = word(value, _SENT)
    if not sent or word(value, "role") not in ("user", "assistant"):
        return parts
    if added := _added_text(value):
        return [*parts, build.part("other", added.strip())]
    other_parts = [part for part in parts if part.kind != "text"]
    return parts if sent == value.get("content") else [*other_parts, build.part("text", sent, Place(record, (_SENT,)))]


def _added_text(value: dict[str, Any]) -> str:
    """Return what was sent after a message's own text."""
    content, sent = word(value, "content"), word(value, _SENT)
    return sent[len(content) :] if content and sent.startswith(content) else ""


def _origin(role: Role, value: dict[str, Any], parts: Sequence[Part], *, answering: bool) -> tuple[Origin, bool]:
    """Return the origin of a message, and whether it must stay, as the agent's summaries stand for another session."""
    text = text_in(parts)
    if role in ("user", "assistant") and (value.get("_compressed_summary") or _SUMMARY.match(text)):
        end = _SUMMARY_END.search(text)
        shared = role == "user" and end is not None and bool(text[end.end() :].strip())
        return ("request" if shared else "summary"), True
    if role == "user" and _INJECTED.match(text):
        return "injected", False
    return origin_in_chat(role, value, parts, answering=answering), False


def _is_failed(value: dict[str, Any], text: str) -> bool | None:
    """Return whether a result failed, according to the agent or to the result itself; None if unknown."""
    if word(value, "finish_reason") == "error" or value.get("error"):
        return True
    if not text.startswith("{"):
        return None
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return None  # shortened, or not JSON at all
    if result.get("error") or result.get("success") is False:
        return True
    code = result.get("exit_code")
    return code != 0 if isinstance(code, int) else None
