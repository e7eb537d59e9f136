"""Agents that write their actions as text: what stands under the role user behind one is what the command printed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later

_ACTION = compiled_later(r"(?:```|~~~|</(?:command|function|action|execute\w*|bash|tool_call|code)>)\s*\Z")
"""Ends a message whose last word is an action."""
_LEAST = 2
"""Messages of the agent that show its way of acting."""
_MOST = 0.9
"""Share of them that end with an action; an assistant that answers people with code ends otherwise as well."""


def mark_outputs(messages: Sequence[Message]) -> list[Message]:
    """Return the messages, those that answer an action no longer requests; an action and its answer stay or go
    together, as a call and its result do."""
    spoken = [m for m in messages if m.role == "assistant" and m.origin != "summary"]
    acting = {m.index for m in spoken if not m.calls and _ACTION.search(m.text("text")[-200:])}
    if len(acting) < _LEAST or len(acting) < _MOST * len(spoken):
        return list(messages)
    answers = {m.index for m in messages if m.origin in ("request", "injected") and m.index - 1 in acting}
    return [
        replace(message, origin="injected", turn=message.index - 1)
        if message.index in answers
        else replace(message, turn=message.index)
        if message.index + 1 in answers
        else message
        for message in messages
    ]
