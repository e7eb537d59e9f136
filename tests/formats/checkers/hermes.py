"""How Hermes takes the messages of a session when it goes on with it, written from the rules of its source."""

from __future__ import annotations

_ROLES = ("system", "user", "assistant", "tool")


def sent(messages):
    """What is sent to the API: heads are left out, and what was sent before is sent again, letter for letter."""
    out = []
    for message in messages:
        if message["role"] == "session_meta":
            continue
        assert message["role"] in _ROLES
        again = message.get("api_content")
        replaced = message["role"] in ("user", "assistant") and isinstance(again, str) and again
        out.append({**message, "content": again} if replaced else message)
    return out


def check_sent(messages):
    """Calls are answered right behind them, but for those at the very end, and nothing is empty."""
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        calls = message.get("tool_calls") or []
        assert message["content"] or calls
        waiting = {call["id"] for call in calls}
