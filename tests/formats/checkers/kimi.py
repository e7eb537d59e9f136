"""What Kimi CLI and Kimi Code make of a session when they load it, written from the rules of their contexts."""

from __future__ import annotations

from typing import Any

_PARTS = {"text": "text", "think": "think", "image_url": "image_url"}


def context(rows):
    """Kimi CLI: every row has a role; those with `_` set the prompt, the size and the checkpoint, the rest is sent."""
    history, checkpoints = [], []
    for row in rows:
        if row["role"] == "_system_prompt":
            assert isinstance(row["content"], str)
        elif row["role"] == "_usage":
            assert isinstance(row["token_count"], int)
        elif row["role"] == "_checkpoint":
            checkpoints.append(row["id"])
        else:
            assert row["role"] in ("user", "assistant", "tool")
            assert isinstance(row["content"], str) or all(_PARTS[part["type"]] in part for part in row["content"])
            for call in row.get("tool_calls", ()):
                assert isinstance(call["function"]["arguments"], str)
            history.append(row)
    assert checkpoints == sorted(set(checkpoints))
    calls = [call["id"] for row in history for call in row.get("tool_calls", ())]
    assert sorted(calls) == sorted(row["tool_call_id"] for row in history if row["role"] == "tool")
    return history


def replay(records):
    """Kimi Code: the history that the log leaves, as (role, records' texts, calls or the call answered)."""
    assert records[0]["type"] == "metadata"
    history: list[Any] = []
    deferred: list[Any] = []
    steps: dict[str, Any] = {}
    waiting: set[str] = set()
    for record in records:
        kind = record["type"]
        if kind == "context.append_message":
            message = record["message"]
            typed = message["role"] == "user" and message.get("origin", {"kind": "user"})["kind"] == "user"
            entry = {"role": message["role"], "text": _text(message["content"]), "calls": [], "typed": typed}
            (deferred if waiting else history).append(entry)
        elif kind == "context.append_loop_event":
            _event(record["event"], history, steps, waiting)
            if not waiting:
                history += deferred
                deferred = []
        elif kind == "context.apply_compaction":
            summary = {"role": "user", "text": record.get("contextSummary") or record["summary"], "calls": []}
            if "keptUserMessageCount" in record:
                kept = [{**one, "kept": True} for one in history if one.get("typed")]
                history = [*kept[-record["keptUserMessageCount"] :], summary]
            else:
                history = [summary, *history[record["compactedCount"] :]]
        elif kind == "context.clear":
            history = []
        elif kind == "context.undo":
            anchors = [n for n, one in enumerate(history) if one.get("typed") and not one.get("kept")]
            history = history[: anchors[-record["count"]]]
    assert not waiting
    history = [one for one in history if one["text"] or one["calls"] or one["role"] == "tool"]
    for at, one in enumerate(history):
        if one["role"] == "tool":
            before = next(b for b in reversed(history[:at]) if b["role"] != "tool")
            assert one["answers"] in before["calls"]
    return history


def _event(event, history, steps, waiting):
    kind = event["type"]
    if kind == "step.begin":
        steps[event["uuid"]] = {"role": "assistant", "text": "", "calls": []}
        history.append(steps[event["uuid"]])
    elif kind == "content.part":
        steps[event["stepUuid"]]["text"] += _text([event["part"]])  # of an unknown step: the agent gives up
    elif kind == "tool.call":
        steps[event["stepUuid"]]["calls"].append(event["toolCallId"])
        waiting.add(event["toolCallId"])
    elif kind == "tool.result":
        output = event["result"]["output"]
        text = output if isinstance(output, str) else _text(output)
        history.append({"role": "tool", "text": text, "calls": [], "answers": event["toolCallId"]})
        waiting.discard(event["toolCallId"])


def _text(content):
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
