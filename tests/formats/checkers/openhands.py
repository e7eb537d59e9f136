"""What OpenHands asks of events when it loads them, written from the rules of its event log and of its view."""

from __future__ import annotations

from itertools import groupby
from typing import Any

_COMMON = {"id", "timestamp", "source", "kind", "parent_id"}
_KEYS = {
    "MessageEvent": {"llm_message", "llm_response_id", "activated_skills", "extended_content", "sender"},
    "ActionEvent": {
        *("thought", "reasoning_content", "thinking_blocks", "responses_reasoning_item", "action", "tool_name"),
        *("tool_call_id", "tool_call", "llm_response_id", "security_risk", "critic_result", "summary"),
    },
    "ObservationEvent": {"observation", "action_id", "tool_name", "tool_call_id", "extended_content"},
    "AgentErrorEvent": {"error", "tool_name", "tool_call_id"},
    "UserRejectObservation": {"rejection_reason", "rejection_source", "action_id", "tool_name", "tool_call_id"},
    "SystemPromptEvent": {"system_prompt", "tools", "dynamic_context"},
    "Condensation": {"forgotten_event_ids", "summary", "summary_offset", "llm_response_id"},
    "CondensationRequest": {"reason"},
    "ConversationStateUpdateEvent": {"key", "value"},
    "PauseEvent": set(),
}
_ANSWERS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
_SENT = ("SystemPromptEvent", "MessageEvent", "ActionEvent", *_ANSWERS)


def view(events):
    """The events that the model gets, after what every event must hold is checked; nothing may have to be dropped."""
    for event in events:
        assert event.keys() <= _COMMON | _KEYS[event["kind"]], event["kind"]  # unknown members are refused
        assert event["source"] in ("agent", "user", "environment", "hook")
    ids = [event["id"] for event in events]
    assert len(ids) == len(set(ids))
    way = _active(events)
    shown: list[Any] = []
    for event in way:
        if event["kind"] == "Condensation":
            shown = [one for one in shown if one["id"] not in event["forgotten_event_ids"]]
            if event.get("summary") is not None:
                summary = {"id": f"{event['id']}-summary", "kind": "summary", "text": event["summary"]}
                shown.insert(event["summary_offset"], summary)
        elif event["kind"] in _SENT:
            shown.append(event)
    _check_pairs(shown)
    _check_whole(shown, way)
    return shown


def _active(events):
    by_id = {event["id"]: event for event in events}
    before = dict(zip([event["id"] for event in events][1:], events, strict=False))
    way: list[Any] = []
    at = events[-1]
    while at is not None:
        way.insert(0, at)
        parent = at.get("parent_id")
        assert parent in (None, "__root__") or parent in by_id
        at = None if parent == "__root__" else by_id[parent] if parent else before.get(at["id"])
    return way


def _check_pairs(shown):
    calls = [one["tool_call_id"] for one in shown if one["kind"] == "ActionEvent"]
    answers = [one["tool_call_id"] for one in shown if one["kind"] in _ANSWERS]
    assert sorted(calls) == sorted(set(calls)) == sorted(answers)
    waiting = set()
    for one in shown:
        if one["kind"] == "ActionEvent":
            waiting.add(one["tool_call_id"])
        elif one["kind"] in _ANSWERS:
            waiting.remove(one["tool_call_id"])
        else:
            assert not waiting, "something stands between a call and its result"


def _check_whole(shown, way):
    """Calls of one answer, and a run of calls that begins with signed thinking, are there as a whole or not at all."""
    present = {one["id"] for one in shown}
    answers: dict[str, Any] = {}
    for event in way:
        if event["kind"] == "ActionEvent":
            answers.setdefault(event["llm_response_id"], []).append(event["id"])
    runs = [list(run) for work, run in groupby(way, lambda e: e["kind"] in ("ActionEvent", *_ANSWERS)) if work]
    for run in runs:
        first = next((n for n, event in enumerate(run) if event.get("thinking_blocks")), None)
        if first is not None:
            answers[run[0]["id"]] = [event["id"] for event in run[first:]]
    for members in answers.values():
        assert len(present & set(members)) in (0, len(members))


def check_old(events):
    """Numbers are unique, observations name events that are there, a condensation says one way what it forgets."""
    ids = [event["id"] for event in events if "id" in event]
    assert len(ids) == len(set(ids))
    for event in events:
        assert ("action" in event) != ("observation" in event)
        assert "cause" not in event or event["cause"] in ids
        if event.get("action") == "condensation":
            args = event["args"]
            named = args["forgotten_event_ids"] is not None
            assert named != (args["forgotten_events_start_id"] is not None)
            assert (args["summary"] is None) == (args["summary_offset"] is None)
