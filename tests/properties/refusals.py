"""A second implementation of what each API accepts, which reads the raw records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from compactor_cli.model.transcript import Transcript


def refusals(transcript: Transcript) -> list[str]:
    """Return the reasons why an API would refuse a transcript. A call in flight at the end is not a reason."""
    values = [json.loads(transcript.raw(r)) for r in range(len(transcript.records))]
    if transcript.format == "codex":
        return _by_id(_codex_events(values))
    if transcript.format == "claude-code":
        return _by_id(_claude_events(values))
    if transcript.format in ("openai-chat", "ai-sdk", "anthropic", "bedrock"):
        repeated = _repeated(values) if transcript.format == "bedrock" else []
        return _adjacent(values) + repeated
    return []


def _ids(value: Any) -> tuple[list[str], list[str]]:
    """Return the ids of the calls and of the results in one message."""
    calls: list[str] = []
    results: list[str] = []
    if not isinstance(value, dict):
        return calls, results
    calls += [str(c.get("id")) for c in value.get("tool_calls") or () if isinstance(c, dict)]
    calls += [str(c.get("toolCallId")) for c in value.get("toolCalls") or () if isinstance(c, dict)]
    if "tool_call_ids" in value:
        results += [str(i) for i in value["tool_call_ids"] or ()]
    elif value.get("role") == "tool" and not isinstance(value.get("content"), list):
        results.append(str(value.get("tool_call_id")))
    elif value.get("role") == "tool" and "tool_call_id" in value:
        results.append(str(value["tool_call_id"]))
    for block in value["content"] if isinstance(value.get("content"), list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(block, dict) and isinstance(block.get("toolUse"), dict):
            calls.append(str(block["toolUse"].get("toolUseId")))
        elif isinstance(block, dict) and isinstance(block.get("toolResult"), dict):
            results.append(str(block["toolResult"].get("toolUseId")))
        elif kind in ("tool_use", "tool-call"):
            calls.append(str(block.get("id") or block.get("toolCallId")))
        elif kind in ("tool_result", "tool-result"):
            results.append(str(block.get("tool_use_id") or block.get("toolCallId")))
    return calls, results


def _adjacent(values: Sequence[Any]) -> list[str]:
    """Return violations of the rule of chat completions and the Messages API: results come right after their call."""
    found: list[str] = []
    waiting: list[str] = []
    for value in values:
        calls, results = _ids(value)
        for result in results:
            if result in waiting:
                waiting.remove(result)
            else:
                found.append(f"result {result} without its call right before")
        if not results or calls:
            found += [f"call {call} is not answered" for call in waiting]
            waiting = []
        waiting += calls
    return found


def _repeated(values: Sequence[Any]) -> list[str]:
    """Return what Converse refuses: two consecutive messages of one role, and an assistant message at the start."""
    roles = [value.get("role") for value in values if isinstance(value, dict)]
    spoken = [role for role in roles if role in ("user", "assistant")]
    return [f"{role} twice" for last, role in zip(["assistant", *spoken], spoken, strict=False) if role == last]


def _by_id(events: Sequence[tuple[str, str]]) -> list[str]:
    """Return violations of the rule of APIs that pair by id: results come anywhere after their call."""
    open_calls: Counter[str] = Counter()
    found: list[str] = []
    for kind, call_id in events:
        if kind == "call":
            open_calls[call_id] += 1
        elif open_calls[call_id] > 0:
            open_calls[call_id] -= 1
        else:
            found.append(f"result {call_id} without a call before it")
    last = max((at for at, (kind, _) in enumerate(events) if kind == "result"), default=-1)
    in_flight = Counter(call_id for kind, call_id in events[last + 1 :] if kind == "call")
    return found + [f"call {call_id} is not answered" for call_id in open_calls - in_flight]


def _codex_events(values: Sequence[Any]) -> list[tuple[str, str]]:
    start = max((at for at, v in enumerate(values) if v.get("type") == "compacted"), default=0)
    events = []
    for value in values[start:]:
        payload = value.get("payload")
        if value.get("type") == "response_item" and isinstance(payload, dict) and payload.get("call_id"):
            kind = "result" if str(payload.get("type")).endswith("_output") else "call"
            events.append((kind, str(payload["call_id"])))
    return events


def _claude_events(values: Sequence[Any]) -> list[tuple[str, str]]:
    start = max((at for at, v in enumerate(values) if v.get("subtype") == "compact_boundary"), default=0)
    events = []
    for value in values[start:]:
        if value.get("type") not in ("user", "assistant") or value.get("isSidechain"):
            continue
        calls, results = _ids(value.get("message"))
        events += [("call", i) for i in calls] + [("result", i) for i in results]
    return events
