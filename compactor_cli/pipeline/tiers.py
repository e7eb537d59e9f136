"""Recency tiers of everything that is not a residual (seed 000)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message


def assign_tiers(
    messages: Sequence[Message],
    groups: Sequence[Group],
    residuals: frozenset[int],
    borders: tuple[int, int, int] = (10, 25, 50),
) -> tuple[int | None, ...]:
    """Assign a tier to each message, None to residuals and system messages.

    Borders count non-residual messages from the end and move outward to group borders: a group
    that a border would split is all in the more recent tier.
    """
    tiers: list[int | None] = [None] * len(messages)
    position, ascending = 0, sorted(borders)
    for message in reversed(messages):
        if message.role == "system" or message.index in residuals:
            continue
        tiers[message.index] = bisect_right(ascending, position)
        position += 1
    for group in groups:
        known = [tier for i in group.messages if (tier := tiers[i]) is not None]
        if known and max(known) > (newest := min(known)):
            for i in group.messages:
                if tiers[i] is not None:
                    tiers[i] = newest
    return tuple(tiers)
