"""Gemini CLI: how patches change a session in the line format.

`{"$patch": {...}}` changes the contents of messages and the results of their calls, and removes or reorders
messages. The messages left after the last patch are read as if they followed an empty `$set`, each on its own line.
This means the same to the agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from compactor_cli.formats import jsonedit
from compactor_cli.formats.copies import find_at
from compactor_cli.formats.jsonl import FileRecords, ReadRecord
from compactor_cli.formats.unfolding import Unfolded, extract_list, replace_records
from compactor_cli.formats.values import inner, listed, objects, word
from compactor_cli.model.content import Content

MESSAGES = ("$set", "messages")
_EMPTY: dict[str, Any] = {"$set": {"messages": []}}


class _Text(NamedTuple):
    """A message, and its JSON text if that differs from its record."""

    record: int
    value: dict[str, Any]
    text: str = ""


def patch_of(value: Any) -> dict[str, Any]:
    """Return a record's changes to earlier messages; empty if it is not a patch."""
    return inner(value, "$patch")


def last_patch(records: Sequence[ReadRecord]) -> int | None:
    """Return the index of the last patch; None if there is none, or if a later record replaced all messages."""
    for index in range(len(records) - 1, -1, -1):
        value = records[index].value
        if patch_of(value):
            return index
        if isinstance(value, dict) and isinstance(find_at(value, MESSAGES), list):
            return None
    return None


def unfold_patches(data: Content, records: Sequence[ReadRecord], last: int, separator: bytes) -> FileRecords | None:
    """Return the bytes and records of a session in which the messages left by the patches replace the last patch,
    each on its own line. None if they cannot be determined."""
    final_texts = _replay_patches(data, records[: last + 1])
    if final_texts is None:
        return None
    pieces = [Unfolded(jsonedit.dump(_EMPTY).encode(), _EMPTY)]
    for message in final_texts.values():
        span = records[message.record].record
        raw = message.text.encode() if message.text else bytes(data[span.start : span.end])
        pieces.append(Unfolded(raw, message.value))
    return replace_records(data, records, {last: pieces}, separator)


def _replay_patches(data: Content, records: Sequence[ReadRecord]) -> dict[str, _Text] | None:
    """Return the messages left after following the records, in order."""
    texts: dict[str, _Text] = {}
    for index, item in enumerate(records):
        value = item.value
        if not isinstance(value, dict):
            continue
        if isinstance(value.get("$rewindTo"), str):
            order = list(texts)
            target = value["$rewindTo"]
            texts = {name: texts[name] for name in order[: order.index(target) if target in texts else 0]}
        elif isinstance(value.get("id"), str):
            texts[value["id"]] = _Text(index, value)
        elif patch_of(value):
            texts = _apply_patch(texts, patch_of(value))
        elif isinstance(find_at(value, MESSAGES), list):
            _, messages = extract_list(data[item.record.start : item.record.end], MESSAGES)
            texts = {word(message, "id"): _Text(index, message, text) for text, message in messages}
            if "" in texts or len(texts) < len(messages):
                return None
    return texts


def _apply_patch(texts: Mapping[str, _Text], patch: dict[str, Any]) -> dict[str, _Text]:
    changed = dict(texts)
    for update in _updates(patch):
        name = word(update, "id")
        if name in changed:
            value = _apply_update(changed[name].value, update)
            changed[name] = _Text(changed[name].record, value, jsonedit.dump(value))
    for name in _names(patch, "removeIds"):
        changed.pop(name, None)
    order = [name for name in _names(patch, "orderIds") if name in changed]
    return {name: changed[name] for name in [*(name for name in changed if name not in set(order)), *order]}


def _updates(patch: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (update for update in [patch, *listed(patch.get("updates"))] if word(update, "id"))


def _apply_update(value: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """Return a message with a new content or new results of its calls."""
    results = {word(call, "id"): call["result"] for _, call in objects(update.get("toolCalls")) if "result" in call}
    calls = [
        {**call, "result": results[word(call, "id")]} if word(call, "id") in results else call
        for _, call in objects(value.get("toolCalls"))
    ]
    content = {"content": update["content"]} if "content" in update else {}
    return {**value, **content, **({"toolCalls": calls} if results else {})}


def _names(patch: dict[str, Any], key: str) -> list[str]:
    return [name for name in listed(patch.get(key)) if isinstance(name, str)]
