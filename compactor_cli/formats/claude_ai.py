"""Claude.ai exports: `conversations.json`, a list of conversations with `chat_messages`, or a single conversation.

An answer holds its calls and their results. A message repeats its words in `text`, and stores pasted or attached
content as `extracted_content`. Messages that name a parent form a tree; the path to the current leaf counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.formats.anthropic_blocks import new_content, read_content
from compactor_cli.formats.base import Around, Builder, Counter, Format, ListPath, Reading
from compactor_cli.formats.copies import equal_copies, value_at
from compactor_cli.formats.trees import chains, path_from_root
from compactor_cli.formats.turns import add_request
from compactor_cli.formats.values import objects, uuid_text, word
from compactor_cli.model.injected import origin_of_blocks, origin_of_parts
from compactor_cli.model.message import LEGACY_ID, Message, Part, Path, Role
from compactor_cli.text.times import parse_time

_SENDERS: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_PARENT = "parent_message_uuid"
_LEAF = "current_leaf_message_uuid"
_NO_PARENT = "00000000-0000-4000-8000-000000000000"
"""The parent named by the first message of a conversation."""


class ClaudeAI(Format):
    name = "claude-ai"
    title = "Claude.ai exports (conversations.json)"
    lists = (ListPath(("chat_messages",)),)
    own_documents = True
    adjacent_results = False
    parent_path = (_PARENT,)

    def recognize(self, value: Any) -> float:
        if word(value, "sender") not in _SENDERS or not word(value, "uuid") or "role" in value:
            return 0.0
        return 1.0 if isinstance(value.get("content", value.get("text")), (str, list)) else 0.0

    def read(self, values: Sequence[Any], counter: Counter, document: Any = None) -> Reading:
        build, ids = Builder(counter), _CallIds()
        messages = {record for record, value in enumerate(values) if self.recognize(value)}
        parents = _parents(values)
        branch: list[int] = []
        if parents.keys() == messages:
            leaf = next((record for record in messages if values[record]["uuid"] == word(document, _LEAF)), None)
            branch = path_from_root(parents, leaf)
        for record in branch or sorted(messages):
            _read_message(build, values[record], record, ids)
        outside = messages - set(branch) if branch else set()
        links = chains(parents, branch) if branch else []
        name = word(document, "uuid")
        return Reading(build.messages, links=links, outside=outside, session_id=name, branch=branch, branch_last=True)

    def new_record(self, message: Message, around: Around) -> Any:
        template = around.template
        content = new_content(message)
        content = content if isinstance(content, list) else [{"type": "text", "text": content}]
        dated = {key: template[key] for key in ("created_at", "updated_at") if key in template}
        linked = {_PARENT: around.parent or _NO_PARENT} if _PARENT in template else {}
        key = around.key
        return {
            "uuid": uuid_text(key),
            "text": message.parts[0].text if message.parts[0].kind == "text" else "",
            "content": content,
            "sender": "human" if message.role in ("user", "system") else "assistant",
            **dated,
            "attachments": [],
            "files": [],
            **linked,
        }

    def edits(self, raw: bytes, edited: Sequence[tuple[Part, str]]) -> dict[Path, str]:
        changes = super().edits(raw, edited)
        value = json.loads(raw)
        if isinstance(value.get("text"), str) and ("text",) not in changes:
            texts = {}
            for part, text in edited:
                if part.place and part.place.encoding == "string":
                    texts[str(value_at(value, part.place.path))] = text
            changes |= equal_copies(value["text"], ("text",), texts)
        return changes


class _CallIds:
    """Supplies missing ids. In older exports, a result without an id answers the oldest waiting call."""

    def __init__(self) -> None:
        self._open_calls: list[Part] = []
        self._count = 0

    def with_call(self, part: Part) -> Part:
        """Return a call or a result with an id. A result also gets the name of its tool."""
        if part.kind == "tool_call":
            if not part.call_id:
                self._count += 1
                part = replace(part, call_id=f"{LEGACY_ID}{self._count}")
            self._open_calls.append(part)
        elif part.kind == "tool_result":
            matching = [call for call in self._open_calls if not part.call_id or call.call_id == part.call_id]
            if matching:
                self._open_calls.remove(matching[0])
                part = replace(part, call_id=matching[0].call_id, name=matching[0].name)
            elif not part.call_id:
                part = replace(part, call_id=f"{LEGACY_ID}unknown")
        return part


def _parents(values: Sequence[Any]) -> dict[int, tuple[str, str, int | None]]:
    """Return record -> (its id, its parent's id, the parent's record) for messages that name a parent."""
    by_id = {word(value, "uuid"): record for record, value in enumerate(values) if word(value, "uuid")}
    parents: dict[int, tuple[str, str, int | None]] = {}
    for record, value in enumerate(values):
        if word(value, "uuid") and _PARENT in value:
            parent = word(value, _PARENT) if word(value, _PARENT) in by_id else ""
            parents[record] = (value["uuid"], parent, by_id.get(parent))
    return parents


def _read_message(build: Builder, value: dict[str, Any], record: int, ids: _CallIds) -> None:
    name, time = value["uuid"], parse_time(value.get("created_at"))
    parts = [ids.with_call(part) for part in _parts(build, value, record)]
    if _SENDERS[value["sender"]] == "user":
        origin = origin_of_blocks(parts)
        files = list(_attachment_parts(build, value, record))
        if origin == "other" and files:
            parts, files, origin = files, [], "request"
        add_request(build, parts, files, (record,), id=name, timestamp=time, origin=origin)
        return
    pieces = list(_pieces(parts)) or [("assistant", [])]
    for number, (role, piece_parts) in enumerate(pieces):
        own, turn = f"{name}/{number}" if number else name, record if len(pieces) > 1 else None
        origin = origin_of_parts(piece_parts, by_user=False)
        build.add(role, piece_parts, (record,), id=own, timestamp=time, origin=origin, turn=turn)


def _parts(build: Builder, value: dict[str, Any], record: int) -> list[Part]:
    """Return a message's blocks, or its text in older exports."""
    parts = read_content(build, value.get("content"), ("content",), record)
    return parts or build.text(value.get("text"), record, ("text",))


def _attachment_parts(build: Builder, value: dict[str, Any], record: int) -> Iterator[Part]:
    for index, attached in objects(value.get("attachments")):
        yield from build.text(attached.get("extracted_content"), record, ("attachments", index, "extracted_content"))


def _pieces(parts: Sequence[Part]) -> Iterator[tuple[Role, list[Part]]]:
    """Yield an answer split into alternating pieces: what the model said, and the results."""
    piece: list[Part] = []
    for part in parts:
        if piece and (part.kind == "tool_result") != (piece[-1].kind == "tool_result"):
            yield ("tool" if piece[-1].kind == "tool_result" else "assistant"), piece
            piece = []
        piece.append(part)
    if piece:
        yield ("tool" if piece[-1].kind == "tool_result" else "assistant"), piece
