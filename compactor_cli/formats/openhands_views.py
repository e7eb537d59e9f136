"""Determines which OpenHands events the model still gets after condensations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct, field

from compactor_cli.formats.values import inner, listed, word

_UNSENT = frozenset(
    (
        *("ConversationStateUpdateEvent", "ConversationErrorEvent", "PauseEvent", "CondensationRequest"),
        *("HookExecutionEvent", "LLMCompletionLogEvent", "TokenEvent", "StreamingDeltaEvent"),
    )
)
"""Kinds of events that only describe the course of the session."""


class SentView(Struct):
    """The effect of condensations on the events."""

    hidden: set[int] = field(default_factory=set)
    """Records that are forgotten."""
    summaries: set[int] = field(default_factory=set)
    """Condensations whose summary is sent."""
    pinned: set[int] = field(default_factory=set)
    """Records that must stay: the summaries, and the events around forgotten ones. A summary is inserted at a count
    of preceding events, and runs of calls with signed thinking must not become adjacent."""
    outside: set[int] = field(default_factory=set)
    """Records that are not sent and not needed to load the session."""
    sent: list[tuple[str, int]] = field(default_factory=list)
    """For the SDK: the sent events in order, as (id, record). For a summary, the record is its condensation."""


def view_of(values: Sequence[Any], branch: Sequence[int], sent: Collection[str]) -> SentView:
    """Return the view of the SDK's events. Each condensation applies to everything before it, including summaries."""
    view, shown = SentView(), _Shown()
    for record in branch:
        value = values[record]
        kind = word(value, "kind")
        if kind in sent:
            shown.events.append((word(value, "id"), record))
        elif kind == "Condensation":
            forgotten = set(map(str, listed(value.get("forgotten_event_ids"))))
            view.hidden |= {index for name, index in shown.events if name in forgotten}
            shown.forget(forgotten)
            offset = value.get("summary_offset")
            if isinstance(value.get("summary"), str) and isinstance(offset, int):
                shown.insert(min(offset, len(shown.events)), (f"{word(value, 'id')}-summary", record))
    condensed = {record for record in branch if word(values[record], "kind") == "Condensation"}
    view.summaries = {index for _, index in shown.events if index in condensed}
    view.hidden |= condensed - view.summaries
    other_branches = {record for record, value in enumerate(values) if word(value, "kind")} - set(branch)
    unsent = {record for record in branch if word(values[record], "kind") in _UNSENT}
    view.outside = view.hidden | other_branches | unsent
    view.sent = shown.events
    if condensed:
        view.pinned = view.summaries | shown.fixed | _first_after(view.hidden, [index for _, index in shown.events])
    return view


class _Shown(Struct):
    """The sent events in order, as (id, record)."""

    events: list[tuple[str, int]] = field(default_factory=list)
    fixed: set[int] = field(default_factory=set)
    """Records that precede a summary."""

    def forget(self, ids: Collection[str]) -> None:
        self.events = [event for event in self.events if event[0] not in ids]

    def insert(self, offset: int, summary: tuple[str, int]) -> None:
        self.fixed |= {index for _, index in self.events[:offset]}
        self.events.insert(offset, summary)


def old_view(values: Sequence[Any]) -> SentView:
    """Return the view of 0.x events. All condensations together determine what is forgotten; only the last summary
    counts."""
    view = SentView()
    condensed = [record for record, value in enumerate(values) if word(value, "action") == "condensation"]
    ids = {value["id"]: n for n, value in enumerate(values) if isinstance(value, dict) and _is_id(value.get("id"))}
    for record in condensed:
        args = inner(values[record], "args")
        view.hidden |= {index for event_id, index in ids.items() if _is_forgotten(event_id, args)}
        if isinstance(args.get("summary"), str):
            view.summaries = {record}
    view.hidden |= set(condensed) - view.summaries
    view.outside = view.hidden | {record for record, value in enumerate(values) if _is_state(value)}
    sent_records = [index for index in range(len(values)) if index not in view.outside and index not in condensed]
    for record in view.summaries:
        offset = values[record]["args"].get("summary_offset")
        fixed = sent_records[:offset] if isinstance(offset, int) else []
        view.pinned = {record, *fixed} | _first_after(view.hidden, sent_records)
    return view


def _is_id(value: Any) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _is_forgotten(event_id: int | str, args: dict[str, Any]) -> bool:
    """Return whether a condensation names an event, in a list of ids or in a range."""
    ids = args.get("forgotten_event_ids")
    if isinstance(ids, list):
        return event_id in ids
    start, end = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    return isinstance(event_id, int) and isinstance(start, int) and isinstance(end, int) and start <= event_id <= end


def _is_state(value: Any) -> bool:
    """Return whether an event only reports the state of the program."""
    states = ("null", "agent_state_changed", "change_agent_state")
    return word(value, "action") in states or word(value, "observation") in states


def _first_after(hidden: Collection[int], sent_records: Sequence[int]) -> set[int]:
    """Return the first event after the last forgotten one, as a set of at most one."""
    last = max(hidden, default=-1)
    return {index for index in sent_records if index > last and index == min(a for a in sent_records if a > last)}
