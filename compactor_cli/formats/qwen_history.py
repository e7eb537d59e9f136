"""Qwen Code: the history that a `chat_compression` record holds, as records of its own.

It is read as if the record held an empty list and each content of it stood behind, in a record of its own in the chain,
which means the same to the agent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.formats.base import uuid_text, word
from compactor_cli.formats.jsonl import ReadRecord
from compactor_cli.formats.unfolding import Unfolded, emptied, put_in, taken_out
from compactor_cli.model.content import Content

HISTORY = ("systemPayload", "compressedHistory")
_ENVELOPE = ("sessionId", "cwd", "version", "gitBranch", "timestamp")


def history_of(value: Any) -> list[Any] | None:
    """Return the contents that a record puts in place of all before it; None of any other record."""
    payload = value.get("systemPayload") if word(value, "subtype") == "chat_compression" else None
    history = payload.get("compressedHistory") if isinstance(payload, dict) else None
    return history if isinstance(history, list) else None


def unfold(
    data: Content, records: Sequence[ReadRecord], walk: Sequence[int], separator: bytes
) -> tuple[Content, list[ReadRecord]] | None:
    """Return the bytes and records of a session with the history of its last compression in records of their own; None
    where there is none. `walk`: the records from the root to the end."""
    last = next((index for index in reversed(walk) if history_of(records[index].value) is not None), None)
    if last is None or not all(isinstance(content, dict) for content in history_of(records[last].value) or [None]):
        return None
    record, value = records[last].record, records[last].value
    head, items = taken_out(data[record.start : record.end], HISTORY)
    pieces = [Unfolded(head, emptied(value, HISTORY))]
    parent = word(value, "uuid")
    for index, (text, content) in enumerate(items):
        own = _uuid(word(value, "uuid"), index)
        envelope = {name: value[name] for name in _ENVELOPE if name in value}
        made = {"uuid": own, "parentUuid": parent, **envelope, "type": _kind(content)}
        raw = f'{jsonedit.dump(made)[:-1]},"message":{text}}}'
        pieces.append(Unfolded(raw.encode("utf-8"), {**made, "message": content}))
        parent = own
    behind = {index: [_moved(data, records[index], parent)] for index in _children(records, word(value, "uuid"))}
    return put_in(data, records, {**behind, last: pieces}, separator)


def _children(records: Sequence[ReadRecord], uuid: str) -> list[int]:
    return [index for index, item in enumerate(records) if word(item.value, "parentUuid") == uuid]


def _moved(data: Content, item: ReadRecord, parent: str) -> Unfolded:
    """Return a record that followed the compression, behind its history."""
    raw = data[item.record.start : item.record.end]
    changed = jsonedit.replace(raw, {("parentUuid",): jsonedit.encode(parent)})
    return Unfolded(changed, {**item.value, "parentUuid": parent})


def _kind(content: dict[str, Any]) -> str:
    if content.get("role") == "model":
        return "assistant"
    parts = content.get("parts")
    answers = isinstance(parts, list) and any(isinstance(part, dict) and "functionResponse" in part for part in parts)
    return "tool_result" if answers else "user"


def _uuid(parent: str, index: int) -> str:
    key = hashlib.sha256(f"{parent} {index}".encode("utf-8", "surrogatepass")).hexdigest()
    return uuid_text(key, version=5)
