"""What Cline and its forks send of a saved session, written from the rules of their histories."""

from __future__ import annotations


def sent(messages):
    """The messages that are not hidden by a summary or a truncation, every call with its result right behind it."""
    summaries = {m["condenseId"] for m in messages if m.get("isSummary") and "condenseId" in m}
    truncations = {m["truncationId"] for m in messages if m.get("isTruncationMarker")}
    shown = [
        m for m in messages if m.get("condenseParent") not in summaries and m.get("truncationParent") not in truncations
    ]
    waiting: list[str] = []
    for message in shown:
        assert message["role"] in ("user", "assistant")
        assert isinstance(message.get("ts"), (int, float)) or message["content"][0]["text"].startswith(
            "Context summary"
        )
        blocks = message["content"] if isinstance(message["content"], list) else []
        if waiting:
            found = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            assert sorted(found) == sorted(waiting)
        else:
            assert not any(block["type"] == "tool_result" for block in blocks)
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert not waiting
    ids = [m["id"] for m in messages if "id" in m]
    assert len(ids) == len(set(ids))
    return shown
