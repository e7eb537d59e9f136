"""Events of Copilot CLI sessions: which ones are sent, and which message each other event belongs to."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from compactor_cli.formats.values import inner, objects, word
from compactor_cli.model.message import Message
from compactor_cli.text.json_values import parse_json

CALL_EVENTS = ("tool.execution_start", "tool.execution_partial_result", "tool.execution_progress")
_NEWEST = ("abort", "session.shutdown", "session.usage_info", "session.usage_checkpoint", "assistant.usage")
"""Kinds that refer to the message before them."""
_COPIES = ("hook.start", "hook.end", "skill.invoked", "assistant.reasoning")
"""Kinds that repeat a text of their message, and the hook events that end such a copy."""
_OUTSIDE = ("hook.", "permission.", "assistant.turn_")
"""Prefixes of event kinds that loading a session ignores."""
_MESSAGE_EVENTS = ("user.", "assistant.", "tool.", "system.", "subagent.", "skill.", "abort")
"""Prefixes of event kinds that record what was said and done, or refer to it."""
_BOUNDARIES = ("session.compaction_start", "session.compaction_complete", "session.context_cleared")


def kind_of(value: Any) -> str:
    """Return the kind of an event; empty if the value is not an event."""
    return word(value, "type") if isinstance(value, dict) and isinstance(value.get("data"), dict) else ""


def data_of(value: Any) -> dict[str, Any]:
    """Return the data of an event; empty if there is none."""
    return inner(value, "data")


def is_own(value: Any) -> bool:
    """Return whether an event belongs to the session itself rather than to an agent that it started."""
    return not (isinstance(value, dict) and value.get("agentId")) and not data_of(value).get("parentToolCallId")


class CopilotContext(NamedTuple):
    """The events that the model sees: those in `records`, and what replaced the messages before them."""

    records: tuple[int, ...]
    start: int
    """The first event that counts; everything earlier was replaced."""
    boundary: int = -1
    """The event that replaced the earlier ones; -1 if none did."""
    taken_back: frozenset[int] = frozenset()
    """Events that a rewind removed."""


def find_context(values: Sequence[Any]) -> CopilotContext:
    """Follow the events as the agent does: rewinds, finished compactions, cleared contexts."""
    live, taken_back = _live(values)
    start, boundary, began = 0, -1, -1
    for record in live:
        kind, data = kind_of(values[record]), data_of(values[record])
        if kind == "session.compaction_start":
            began = record
        elif kind == "session.compaction_complete" and data.get("success") is True and word(data, "summaryContent"):
            start, boundary, began = (began if began >= 0 else record), record, -1
        elif kind == "session.context_cleared":
            start, boundary, began = record, record, -1
    prompts = [record for record in live if _is_prompt(values[record])]
    earlier_prompts = set(prompts[:-1])
    records = [r for r in live if r in prompts[-1:] or (r >= start and r not in earlier_prompts)]
    return CopilotContext(tuple(records), start, boundary, frozenset(taken_back))


def _is_prompt(value: Any) -> bool:
    return kind_of(value) == "system.message" and data_of(value).get("role") != "developer" and is_own(value)


def _live(values: Sequence[Any]) -> tuple[list[int], set[int]]:
    """Return the session's own events that no rewind removed, and all events that a rewind removed."""
    live: list[int] = []
    taken_back: set[int] = set()
    ids: dict[str, int] = {}
    for record, value in enumerate(values):
        if not kind_of(value) or not is_own(value):
            continue
        if value["type"] == "session.snapshot_rewind":
            target = ids.get(word(data_of(value), "upToEventId"))
            if target is not None:
                taken_back.update(range(target, record))
                while live and live[-1] >= target:
                    live.pop()
            continue
        live.append(record)
        ids[word(value, "id")] = record
    return live, taken_back


def records_outside(values: Sequence[Any], context: CopilotContext) -> set[int]:
    """Return events that only describe the course of the session, and those replaced by a compaction, removed by a
    rewind or superseded by a newer system prompt. The user's first message stays, because sessions are listed by it."""
    sent = set(context.records)
    undone = _undone_records(values)
    outside = set(undone)
    for record, value in enumerate(values):
        replaced = record < context.start and kind_of(value).startswith((*_MESSAGE_EVENTS, *_BOUNDARIES))
        if kind_of(value).startswith(_OUTSIDE) or ((replaced or _is_prompt(value)) and record not in sent):
            outside.add(record)
    calls = {word(call, "toolCallId") for record in outside for call in calls_of(values[record])}
    calls -= {word(call, "toolCallId") for record in sent - outside for call in calls_of(values[record])}
    outside |= {
        r for r, v in enumerate(values) if kind_of(v).startswith("tool.") and word(data_of(v), "toolCallId") in calls
    }
    typed = (r for r, v in enumerate(values) if kind_of(v) == "user.message" and is_own(v) and r not in undone)
    return outside - {next(typed, -1)}


def _undone_records(values: Sequence[Any]) -> set[int]:
    """Return what was said between the events that rewinds name and the rewinds themselves, and these rewinds."""
    ids: dict[str, int] = {}
    undone: set[int] = set()
    for record, value in enumerate(values):
        if kind_of(value) == "session.snapshot_rewind" and is_own(value):
            target = ids.get(word(data_of(value), "upToEventId"))
            if target is not None and kind_of(values[target]).startswith(_MESSAGE_EVENTS):
                undone |= {n for n in range(target, record) if kind_of(values[n]).startswith(_MESSAGE_EVENTS)} | {
                    record
                }
        elif kind_of(value):
            ids[word(value, "id")] = record
    return undone


def calls_of(value: Any) -> list[dict[str, Any]]:
    """Return the calls of an answer."""
    calls = data_of(value).get("toolRequests") if kind_of(value) == "assistant.message" else None
    return [call for _, call in objects(calls)]


def owners_of(
    values: Sequence[Any], context: CopilotContext, messages: Sequence[Message]
) -> tuple[dict[int, int], set[int]]:
    """Return event -> message for events that go with a message, and the events among them that repeat its text."""
    finding = _Owners(values, messages)
    owners: dict[int, int] = {}
    copies: set[int] = set()
    for record in range(context.start, len(values)):
        if record in context.taken_back:
            continue
        owner = None if record in finding.by_record else finding.owner(record)
        finding.newest = finding.by_record.get(record, finding.newest)
        if owner is not None:
            owners[record] = owner
            if kind_of(values[record]) in _COPIES:
                copies.add(record)
    return owners, copies


class _Owners:
    """Finds the message that each event belongs to. Events must be passed in order."""

    def __init__(self, values: Sequence[Any], messages: Sequence[Message]) -> None:
        self._values = values
        self.by_record = {record: m.index for m in messages for record in m.records}
        self._of_call = {part.call_id: m.index for m in messages for part in m.calls}
        self._of_result = {part.call_id: m.index for m in messages for part in m.results}
        self._agents = dict(_agents(values))
        self._requests = _requests(values)
        self._hooks: dict[str, int | None] = {}
        self.newest: int | None = None
        self._spoken = sorted(r for r, index in self.by_record.items() if messages[index].role == "assistant")
        self._typed: dict[str, list[int]] = defaultdict(list)
        self._skills: dict[str, list[int]] = defaultdict(list)
        for record in sorted(r for r, index in self.by_record.items() if messages[index].role == "user"):
            data = data_of(values[record])
            self._typed[word(data, "content")].append(record)
            self._skills[word(data, "source")].append(record)

    def owner(self, record: int) -> int | None:
        """Return the message that an event belongs to."""
        value = self._values[record]
        kind, data = kind_of(value), data_of(value)
        if not is_own(value):
            call = word(data, "parentToolCallId") or self._agents.get(word(value, "agentId"), "")
            return self._of_call.get(call)
        if kind in CALL_EVENTS or kind.startswith("subagent."):
            return self._of_call.get(word(data, "toolCallId"))
        if kind == "tool.user_requested":
            return self._of_result.get(word(data, "toolCallId"))
        if kind.startswith("permission."):
            request = data.get("permissionRequest")
            return self._of_call.get(word(data, "toolCallId") or word(request, "toolCallId"), self.newest)
        if kind in ("assistant.turn_start", "assistant.reasoning"):
            return self._next(self._spoken, record)
        if kind == "skill.invoked":
            return self._next(self._skills[f"skill-{word(data, 'name')}"], record)
        if kind.startswith("hook."):
            return self._hook(kind, data, record)
        return self.newest if kind in _NEWEST or kind == "assistant.turn_end" else None

    def _next(self, records: Sequence[int], record: int) -> int | None:
        position = bisect_right(records, record)
        return self.by_record[records[position]] if position < len(records) else None

    def _hook(self, kind: str, data: dict[str, Any], record: int) -> int | None:
        """Return the message that a hook belongs to. A hook gets the typed text, the calls about to be made, or a
        call's result; its end event contains no more."""
        name = word(data, "hookInvocationId")
        if kind == "hook.end" and name in self._hooks:
            return self._hooks[name]
        payload = inner(data, "input")
        calls = payload.get("toolCalls")
        owner = self.newest
        if word(payload, "prompt") or word(payload, "initialPrompt"):
            owner = self._owner_of_prompt(word(payload, "prompt") or word(payload, "initialPrompt"), record)
        elif isinstance(calls, list) and calls:
            owner = self._of_call.get(word(calls[0], "id"), owner)
        elif "toolResult" in payload:
            waiting = self._requests.get(_request(payload.get("toolName"), payload.get("toolArgs")))
            call = waiting.popleft() if waiting else ""
            owner = self._of_result.get(call, self._of_call.get(call, owner))
        self._hooks[name] = owner
        return owner

    def _owner_of_prompt(self, text: str, record: int) -> int | None:
        """Return the user message that a hook was given: the nearest one with the same text."""
        records = self._typed[text]
        position = bisect_right(records, record)
        nearest = min(records[max(position - 1, 0) : position + 1], key=lambda r: abs(r - record), default=None)
        return None if nearest is None else self.by_record[nearest]


def _agents(values: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield each agent that the session started, with the call that started it."""
    for value in values:
        if kind_of(value) == "subagent.started" and word(value, "agentId"):
            yield value["agentId"], word(data_of(value), "toolCallId")


def _requests(values: Sequence[Any]) -> dict[str, deque[str]]:
    """Return the call ids for each tool and its arguments, in order."""
    waiting: dict[str, deque[str]] = defaultdict(deque)
    for value in values:
        if kind_of(value) == "tool.execution_start" and is_own(value):
            data = data_of(value)
            waiting[_request(data.get("toolName"), data.get("arguments"))].append(word(data, "toolCallId"))
    return waiting


def _request(name: Any, arguments: Any) -> str:
    if isinstance(arguments, str):
        with suppress(ValueError):  # the tool may take plain text
            arguments = parse_json(arguments)
    return json.dumps([name, arguments], sort_keys=True)
