"""What Claude Code makes of a session file when it resumes it: the way from the last turn to the root, and what its API
asks of the messages on it."""

from __future__ import annotations


def resumed(records):
    """The turns that are sent, in order. Fails where the way breaks off or an id is there twice."""
    by_id = {}
    for record in records:
        if record.get("uuid") and not record.get("isSidechain"):
            assert record["uuid"] not in by_id, f"{record['uuid']} is there twice"
            by_id[record["uuid"]] = record
    turns = [record for record in by_id.values() if record["type"] in ("user", "assistant")]
    way = _way(by_id, turns[-1])
    boundary = next((record for record in way if record.get("subtype") == "compact_boundary"), None)
    kept = {record["uuid"] for record in [*way, *_preserved(by_id, boundary)]}
    messages = {record["message"].get("id") for record in turns if record["uuid"] in kept} - {None}
    calls = {
        block["id"]
        for record in turns
        if record["uuid"] in kept or record["message"].get("id") in messages
        for block in _blocks(record, "tool_use")
    }
    return [
        record
        for record in turns
        if record["uuid"] in kept
        or record["message"].get("id") in messages
        or any(block["tool_use_id"] in calls for block in _blocks(record, "tool_result"))
    ]


def _way(by_id, record):
    way = []
    while record is not None:
        way.append(record)
        parent = record["parentUuid"]
        assert parent is None or parent in by_id, f"the parent of {record['uuid']} is not there"
        record = by_id.get(parent)
    return way


def _preserved(by_id, boundary):
    """The segment before a boundary, walked from its tail to its head."""
    segment = ((boundary or {}).get("compactMetadata") or {}).get("preservedSegment")
    if not segment:
        return []
    assert segment["anchorUuid"] in by_id
    way = _way(by_id, by_id[segment["tailUuid"]])
    ids = [record["uuid"] for record in way]
    assert segment["headUuid"] in ids, "the way from the tail does not lead to the head"
    return way[: ids.index(segment["headUuid"]) + 1]


def _blocks(record, kind):
    content = record["message"]["content"]
    return [block for block in content if block["type"] == kind] if isinstance(content, list) else []


def check_resumed(turns):
    """Calls are answered once, behind them; results have a call; nothing is empty."""
    open_calls: set[str] = set()
    for record in turns:
        assert record["message"]["content"], "an empty content"
        for block in _blocks(record, "tool_result"):
            assert block["tool_use_id"] in open_calls, f"{block['tool_use_id']} has no open call"
            open_calls.remove(block["tool_use_id"])
        open_calls |= {block["id"] for block in _blocks(record, "tool_use")}
    assert not open_calls, f"calls without results: {open_calls}"
