"""What the agent makes of a session file, written from the rules of its session manager and of what it sends."""

from __future__ import annotations

from typing import Any


def context(entries):
    """The entries that are sent, in their order: a summary, what the last compaction kept, what follows."""
    head, rest = entries[0], entries[1:]
    assert head["type"] == "session"
    assert isinstance(head["id"], str)  # or the file is taken as empty, and overwritten
    if not rest or "id" not in rest[-1]:
        return rest
    by_id = {entry["id"]: entry for entry in rest}
    assert len(by_id) == len(rest)
    way: list[Any] = []
    at = rest[-1]
    while at is not None:
        way.insert(0, at)
        at = by_id.get(at["parentId"])
    edits = {entry["targetId"]: entry["replacement"] for entry in way if entry["type"] == "context_edit"}
    assert edits.keys() <= by_id.keys(), "an edit names an entry that is not there"
    way = [_edited(entry, edits) for entry in way if edits.get(entry["id"], entry) is not None]
    last = max((n for n, entry in enumerate(way) if entry["type"] == "compaction"), default=None)
    if last is None:
        return way
    ids = [entry["id"] for entry in way[:last]]
    kept = way[last].get("firstKeptEntryId")
    first = ids.index(kept) if kept in ids else last
    return [way[last], *way[first:last], *way[last + 1 :]]


def _edited(entry, edits):
    if entry["id"] not in edits:
        return entry
    return {**entry, "message": {**entry["message"], **edits[entry["id"]]}}


def check_sent(entries):
    """Every call is answered right behind it, and every result has its call."""
    waiting: set[str] = set()
    for entry in entries:
        message = entry.get("message", {})
        if message.get("role") == "toolResult":
            assert message["toolCallId"] in waiting
            waiting.remove(message["toolCallId"])
            continue
        if entry["type"] != "message" or message.get("stopReason") in ("error", "aborted"):
            continue
        assert not waiting
        assert message["content"] if message["role"] == "user" else True
        if message["role"] == "assistant":
            assert {"api", "provider", "model", "usage", "stopReason", "timestamp"} <= message.keys()
            waiting = {block["id"] for block in message["content"] if block["type"] == "toolCall"}
