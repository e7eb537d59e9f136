"""How Copilot CLI takes a session file: rules of its published event schema, and of what it sends when it goes on."""

from __future__ import annotations

from typing import Any

_NEEDED = {
    "session.start": ("sessionId", "version", "producer"),
    "user.message": ("content",),
    "assistant.message": ("messageId", "content"),
    "tool.execution_start": ("toolCallId", "toolName"),
    "tool.execution_complete": ("toolCallId", "success"),
    "system.message": ("content", "role"),
    "session.compaction_complete": ("success",),
}


def check_events(events, *, needed=True):
    """A file that is loaded: a chain of events, complete by the schema. `needed`: the input was."""
    assert events[0]["type"] == "session.start"
    assert events[0]["parentId"] is None
    seen = set()
    for event in events:
        assert isinstance(event["timestamp"], str)
        assert event["id"] not in seen
        assert event["parentId"] is None or event["parentId"] in seen
        seen.add(event["id"])
        if needed:
            assert set(_NEEDED.get(event["type"], ())) <= event["data"].keys()
    assert sum(event["parentId"] is None for event in events) == 1


def sent(events):
    """The messages that are sent, in their order: events of the session's own agent, without what was taken back,
    and a summary in place of the messages before the compaction began."""
    messages: list[Any] = []
    began = 0
    for event in events:
        kind, data = event["type"], event["data"]
        if event.get("agentId") or data.get("parentToolCallId"):
            continue
        if kind == "session.snapshot_rewind":
            at = next((n for n, m in enumerate(messages) if m["id"] == data["upToEventId"]), None)
            messages = messages if at is None else messages[:at]
        elif kind == "session.compaction_start":
            began = len(messages)
        elif kind == "session.compaction_complete" and data["success"]:
            messages = [event, *messages[began:]]
        elif kind == "session.context_cleared":
            messages = [event]
        elif kind in ("user.message", "assistant.message", "tool.execution_complete", "system.notification"):
            messages.append(event)
    return messages


def check_sent(messages):
    """Calls are answered before the next message of user or agent, but for those at the very end."""
    waiting: set[str] = set()
    replaced = any(message["type"] == "session.compaction_complete" for message in messages)
    for message in messages:
        data = message["data"]
        if message["type"] == "tool.execution_complete":
            if data["toolCallId"] in waiting:
                waiting.remove(data["toolCallId"])
            else:
                assert data.get("isUserRequested") or replaced
            continue
        if message["type"] == "assistant.message" and data.get("chunkIndex"):
            continue
        assert not waiting
        if message["type"] == "user.message":
            assert data["content"]
        if message["type"] == "assistant.message":
            waiting = {call["toolCallId"] for call in data["toolRequests"]}
            assert data["content"] or waiting
