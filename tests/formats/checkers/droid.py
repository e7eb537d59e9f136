"""How a Droid session must hold together: a head, ids without doubles, a chain without gaps, results behind calls."""

from __future__ import annotations

import json


def check_session(data, *, chained):
    """The messages from the first to the last of the chain; fails where it does not reach the head."""
    records = [json.loads(line) for line in data.decode().splitlines()]
    assert records[0]["type"] == "session_start"
    names = [record["id"] for record in records]
    assert len(set(names)) == len(names)
    messages = [record for record in records if record["type"] == "message"]
    way = messages
    if chained:
        by_id = {record["id"]: record for record in messages}
        at, way = messages[-1]["id"], []
        while at in by_id:
            way.append(by_id.pop(at))
            at = way[-1]["parentId"]
        assert at == records[0]["id"]
        way.reverse()
    waiting: set[str] = set()
    for message in way:
        blocks = message["message"]["content"]
        assert isinstance(blocks, list)
        assert blocks
        answers = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        assert answers == waiting
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
    assert not waiting
    return way
