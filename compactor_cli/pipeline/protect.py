"""What is kept whole as long as the budget can be met at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compactor_cli.model.group import Group
from compactor_cli.model.message import CLOSING_ID, Message
from compactor_cli.model.planning import CLOSING, EARLIER_HISTORY, FIRST_REQUEST, IN_FLIGHT, LAST_REQUEST, NEWEST
from compactor_cli.text.verbatim import carried


@dataclass(frozen=True, slots=True)
class Protection:
    """Group -> why it is kept."""

    reasons: dict[int, str]


def protect(
    messages: Sequence[Message], groups: Sequence[Group], *, keep: Sequence[re.Pattern[str]] = (), keep_last: int = 0
) -> Protection:
    """System messages, the first and last real request, matches of --keep, the newest `keep_last`
    messages, work in flight, and records that stand for history out of context."""
    requests = [m.index for m in messages if m.origin == "request"]
    # a summary that repeats the first request in full stands for it
    task = next((m.index for m in messages if m.origin == "summary" and carried(m.text("text")).first), None)
    named: dict[int, str] = {}
    newest = len(messages) - keep_last - (bool(messages) and messages[-1].id == CLOSING_ID)
    for message in messages:
        if message.pinned:
            named[message.index] = EARLIER_HISTORY
        elif message.id == CLOSING_ID:
            named[message.index] = CLOSING
        elif message.role == "system":
            named[message.index] = "system message"
        elif any(pattern.search(part.text) for pattern in keep for part in message.parts):
            named[message.index] = "matches --keep"
        elif keep_last and message.index >= newest:
            named[message.index] = f"one of the last {keep_last} messages"
    if requests:
        named.setdefault(requests[-1], LAST_REQUEST)
        if task is None and named.get(requests[0], LAST_REQUEST) == LAST_REQUEST:
            named[requests[0]] = FIRST_REQUEST
    if task is not None:
        named.setdefault(task, FIRST_REQUEST)
    reasons: dict[int, str] = {}
    for group in groups:
        why = [named[i] for i in group.messages if i in named]
        if why:
            reasons[group.index] = why[0]
        elif group.in_flight:
            reasons[group.index] = IN_FLIGHT
    if not reasons and groups:
        reasons[groups[-1].index] = NEWEST
    return Protection(reasons)
