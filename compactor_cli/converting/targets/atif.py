"""Convert to ATIF trajectories: one document with a step for each turn; calls and their results share a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from compactor_cli.converting import fitting
from compactor_cli.converting.base import Attribute, Target, WriteContext, iso
from compactor_cli.converting.message_content import Conversation, SpeakerTurn

_VERSION = "ATIF-v1.6"
"""The oldest version that allows messages with several parts."""
_SOURCES = {"system": "system", "user": "user", "assistant": "agent"}


class ToATIF(Target):
    name = "atif"
    purpose = "a trajectory in the Agent Trajectory Interchange Format, one document"
    holds = frozenset[Attribute](("time",))

    def fit(self, turns: fitting.Turns) -> fitting.Turns:
        turns = fitting.drop_seals(fitting.other_as_text(turns))
        # pictures would be separate files
        turns = fitting.drop_empty(fitting.drop_pictures(turns))
        turns = fitting.merge_kind(fitting.order_items(turns, "thinking", "text", "call"), "thinking", "assistant")
        return fitting.wrap_arguments(fitting.limit_calls(turns, 256, 256))

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        steps: list[dict[str, Any]] = []
        for turn in conversation.turns:
            if turn.role == "tool":
                results = steps[-1].setdefault("observation", {"results": []})["results"]
                results += [{"source_call_id": item.call_id, "content": item.text} for item in turn.items]
            else:
                steps.append(_step(len(steps) + 1, turn))
        agent = {"name": conversation.format or "unknown", "version": "unknown"}
        value = {"schema_version": _VERSION, "session_id": conversation.session_id, "agent": agent, "steps": steps}
        return [value]

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        return f"{conversation.session_id}.trajectory.json"


def _step(number: int, turn: SpeakerTurn) -> dict[str, Any]:
    step: dict[str, Any] = {"step_id": number}
    if turn.time is not None:
        step["timestamp"] = iso(turn.time)
    texts = [item.text for item in turn.items if item.kind == "text"]
    step |= {"source": _SOURCES[turn.role], "message": _message(texts)}
    thoughts = [item.text for item in turn.items if item.kind == "thinking"]
    if thoughts:
        step["reasoning_content"] = thoughts[0]
    calls = [
        {"tool_call_id": item.call_id, "function_name": item.name, "arguments": fitting.arguments(item)}
        for item in turn.items
        if item.kind == "call"
    ]
    return {**step, "tool_calls": calls} if calls else step


def _message(texts: Sequence[str]) -> Any:
    if len(texts) > 1:
        return [{"type": "text", "text": text} for text in texts]
    return texts[0] if texts else ""
