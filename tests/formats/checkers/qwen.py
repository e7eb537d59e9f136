"""How Qwen Code loads a session, written from the rules of its recording service: what the model is sent."""

from __future__ import annotations

import json
from typing import Any

_SENT = ("user", "assistant", "tool_result")


def load_session(data):
    """The records from the root to the end of the conversation; pieces of one record are joined."""
    records = [json.loads(line) for line in data.decode().replace('}{"uuid"', '}\n{"uuid"').splitlines() if line]
    assert len({record["sessionId"] for record in records}) == 1
    pieces: dict[str, Any] = {}
    for record in records:
        pieces.setdefault(record["uuid"], []).append(record)
    ends = [record for record in records if not record.get("subtype", "").startswith("session_artifact")]
    at, way = ends[-1]["uuid"], []
    while at in pieces:
        way.append(pieces.pop(at))
        at = way[-1][0]["parentUuid"]
    return way[::-1], at


def history(way):
    """The contents that the model is sent: those of the last compression and what follows it."""
    contents = []
    for pieces in way:
        first = pieces[0]
        if first.get("subtype") == "chat_compression":
            contents = [(c["role"], list(c["parts"])) for c in first["systemPayload"]["compressedHistory"]]
        elif first["type"] in _SENT:
            parts = [part for piece in pieces for part in piece["message"]["parts"]]
            contents.append((first["message"]["role"], parts))
    return contents


def check_history(contents):
    """Fails where the API would refuse the contents: an answer without its call, or a call left open in the middle."""
    for at, (role, parts) in enumerate(contents):
        assert role in ("user", "model")
        assert parts
        calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
        answers = [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
        assert role == "model" or not calls
        assert role == "user" or not answers
        assert all(isinstance(p["functionResponse"]["response"], dict) for p in parts if "functionResponse" in p)
        before = contents[at - 1][1] if at else []
        assert set(answers) <= {part["functionCall"]["id"] for part in before if "functionCall" in part}
        if calls and at + 1 < len(contents):
            behind = contents[at + 1][1]
            assert set(calls) <= {p["functionResponse"]["id"] for p in behind if "functionResponse" in p}
