"""Choose the messages that bypass compression, within both caps, and assign recency tiers to all others (seed 000)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal
from math import ceil

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.score import Residuals, Score


def select_residuals(
    messages: Sequence[Message],
    scores: Sequence[Score],
    *,
    threshold: float,
    max_share: float,
    total_tokens: int | None = None,
) -> Residuals:
    """Return the messages at or above the threshold: at most `ceil(max_share * n)` of them and, with a token budget,
    at most that share of it. The lowest scores are demoted first, and the older message if scores are equal."""
    limit = ceil(Decimal(str(max_share)) * len(messages))
    candidates = [m.index for m in messages if m.role != "system" and scores[m.index].value >= threshold]
    best_first = sorted(candidates, key=lambda i: (-scores[i].raw, -i))
    chosen = best_first[:limit]
    if total_tokens is not None:
        max_tokens = int(Decimal(str(max_share)) * total_tokens)
        residual_tokens = sum(messages[i].tokens for i in chosen)
        while residual_tokens > max_tokens:
            residual_tokens -= messages[chosen.pop()].tokens
    kept = frozenset(chosen)
    return Residuals(kept, frozenset(candidates) - kept, limit)


def assign_tiers(
    messages: Sequence[Message],
    groups: Sequence[Group],
    residuals: frozenset[int],
    borders: tuple[int, int, int] = (10, 25, 50),
) -> tuple[int | None, ...]:
    """Return the tier of each message; None for residuals and system messages. Borders count non-residual messages from
    the end. They move outward to group borders: a group that a border would split is entirely in the more recent
    tier."""
    tiers: list[int | None] = [None] * len(messages)
    position, ascending = 0, sorted(borders)
    for message in reversed(messages):
        if message.role == "system" or message.index in residuals:
            continue
        tiers[message.index] = bisect_right(ascending, position)
        position += 1
    for group in groups:
        group_tiers = [tier for i in group.messages if (tier := tiers[i]) is not None]
        if group_tiers and max(group_tiers) > (newest := min(group_tiers)):
            for i in group.messages:
                if tiers[i] is not None:
                    tiers[i] = newest
    return tuple(tiers)
