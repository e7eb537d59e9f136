"""What is kept whole as long as the budget can be met at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message

_LAST = "last request of the user"


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
    named: dict[int, str] = {}
    for message in messages:
        if message.pinned:
            named[message.index] = "stands for earlier history"
        elif message.role == "system":
            named[message.index] = "system message"
        elif any(pattern.search(part.text) for pattern in keep for part in message.parts):
            named[message.index] = "matches --keep"
        elif keep_last and message.index >= len(messages) - keep_last:
            named[message.index] = f"one of the last {keep_last} messages"
    if requests:
        named.setdefault(requests[-1], _LAST)
        if named.get(requests[0], _LAST) == _LAST:
            named[requests[0]] = "first request of the user"
    reasons: dict[int, str] = {}
    for group in groups:
        why = [named[i] for i in group.messages if i in named]
        if why:
            reasons[group.index] = why[0]
        elif group.in_flight:
            reasons[group.index] = "work in flight"
    if not reasons and groups:
        reasons[groups[-1].index] = "newest message"
    return Protection(reasons)
