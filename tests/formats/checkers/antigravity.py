"""How readers of Antigravity transcripts take them: steps in order, and results that answer calls in their order."""

from __future__ import annotations

from typing import Any

_INTERNAL = ("CHECKPOINT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "SYSTEM_MESSAGE")


def exchanges(steps):
    """Names of the calls of each answer, with the kinds of the steps behind it that are what they returned."""
    found: list[Any] = []
    for step in steps:
        assert isinstance(step["step_index"], int)
        assert {"source", "type", "status", "created_at"} <= step.keys()
        if step["type"] == "PLANNER_RESPONSE":
            for call in step.get("tool_calls") or ():
                assert isinstance(call["args"], dict)
            found.append(([call["name"] for call in step.get("tool_calls") or ()], []))
        elif step["type"] == "USER_INPUT":
            found.append(([], []))
        elif found and step["type"] not in _INTERNAL:
            found[-1][1].append(step["type"])
    return [(calls, done) for calls, done in found if calls or done]
