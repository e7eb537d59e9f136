"""As many of the newest exchanges as a room holds."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision
from compactor_cli.strategies.shared.renditions import Renderer
from compactor_cli.strategies.shared.rooms import share_of

COMFORT = 300
"""Tokens that a recent output is to keep before older exchanges make way for it."""

_SMALL_SHARE, _SHARE = 0.15, 0.30
"""Shares of a small and of a large room that the newest exchanges may take before any of their lines is chosen."""


def newest_share(room: int) -> float:
    """Return the tokens of a room that are for the newest exchanges, whatever else is worth keeping."""
    return share_of(room, _SMALL_SHARE, _SHARE)


def comfortable(renderer: Renderer, groups: Sequence[Group], room: int) -> int:
    """Return how many of the newest groups fit with a comfortable part of their outputs."""
    count, used = 0, 0
    for group in reversed(groups):
        used += bound(renderer, group, COMFORT)
        if used > room:
            break
        count += 1
    return count


def fit_newest(
    renderer: Renderer, groups: Sequence[Group], room: int, count: int, reason: str
) -> tuple[list[Decision], list[Group]]:
    """Fit the `count` newest groups, or as many of them as fit with their outputs cut; return them and the others. The
    last one of all may have its texts cut too."""
    for size in range(max(count, 1), 0, -1):
        newest = groups[len(groups) - size :]
        fitted = renderer.fit(newest, room, reason, prose=size == 1)
        if fitted is not None:
            return fitted, list(groups[: len(groups) - size])
    return [], list(groups)


def bound(renderer: Renderer, group: Group, limit: int) -> int:
    """Return the tokens of a group with its outputs cut to a limit; an upper bound that costs no counting."""
    if group.tokens <= limit:
        return group.tokens
    return group.tokens - sum(max(0, size - limit) for size in renderer.sizes([group], "tool_result"))
