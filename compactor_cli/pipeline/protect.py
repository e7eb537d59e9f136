"""Which groups are kept whole as long as the budget can be met at all."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message, is_closing
from compactor_cli.model.planning import (
    CLOSING,
    DECIDED,
    EARLIER_HISTORY,
    FIRST_REQUEST,
    IN_FLIGHT,
    LAST_MESSAGES,
    LAST_REQUEST,
    NEWEST,
)
from compactor_cli.model.talking import substantial_requests
from compactor_cli.summary_text.excerpts import EARLIER_USER
from compactor_cli.summary_text.verbatim import carried


def protect(
    messages: Sequence[Message],
    groups: Sequence[Group],
    *,
    keep: Sequence[re.Pattern[str]] = (),
    keep_last: int,
    kept_by_decision: Set[int] = frozenset(),
) -> dict[int, str]:
    """Return group -> the reason why it is kept. The following are kept:

    - system messages, and the first and last real request;
    - matches of --keep, and the newest `keep_last` messages;
    - work in flight, and records that stand for history outside the context;
    - messages that a person `kept_by_decision` to keep.
    """
    requests = [m.index for m in substantial_requests(messages)]
    task = summary_of_first_request(messages)
    closed = bool(messages) and is_closing(messages, len(messages) - 1)
    newest = len(messages) - keep_last - closed
    reason_of: dict[int, str] = {}
    for message in messages:
        reason = _keep_reason(message, keep)
        if reason or (keep_last and message.index >= newest):
            reason_of[message.index] = reason or f"{LAST_MESSAGES} {keep_last} messages"
    if closed:
        reason_of[messages[-1].index] = CLOSING
    if requests:
        reason_of.setdefault(requests[-1], LAST_REQUEST)
        if task is None and reason_of.get(requests[0], LAST_REQUEST) == LAST_REQUEST:
            reason_of[requests[0]] = FIRST_REQUEST
    if task is not None:
        reason_of.setdefault(task, FIRST_REQUEST)
    reasons: dict[int, str] = {}
    for group in groups:
        group_reasons = [reason_of[i] for i in group.messages if i in reason_of]
        if not kept_by_decision.isdisjoint(group.messages):
            reasons[group.index] = DECIDED
        elif group_reasons:
            reasons[group.index] = group_reasons[0]
        elif group.in_flight:
            reasons[group.index] = IN_FLIGHT
    if set(reasons.values()) <= {CLOSING}:
        newest_group = next((g for g in reversed(groups) if g.index not in reasons), None)
        if newest_group is not None:
            reasons[newest_group.index] = NEWEST
    return reasons


def summary_of_first_request(messages: Sequence[Message]) -> int | None:
    """Return the index of the summary that repeats or quotes the session's first request; None if there is none."""
    summaries = [m for m in messages if m.origin == "summary"]
    repeating = next((m.index for m in summaries if carried(m.text("text")).first), None)
    if repeating is not None or not summaries:
        return repeating
    first_request = min((m.index for m in substantial_requests(messages)), default=len(messages))
    quoting = (m.index for m in summaries if m.index < first_request and f"\n{EARLIER_USER}" in m.text("text"))
    return next(quoting, None)


def _keep_reason(message: Message, keep: Sequence[re.Pattern[str]]) -> str:
    """Return why a message is kept regardless of its position; empty if it is not."""
    if message.pinned:
        return EARLIER_HISTORY
    if message.is_system_prompt:
        return "system message"
    matches = keep and any(pattern.search(part.text) for pattern in keep for part in message.parts)
    return "matches --keep" if matches else ""
