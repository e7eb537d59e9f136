"""How memories fade that nobody uses (seed 003)."""

from __future__ import annotations

import math

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.memory.merging import left
from compactor_cli.model.memory import Memory

_LEAST = 0.05
"""Points below which fading waits until there is more of it: nobody would see the difference."""


class Faded(Struct, frozen=True):
    """A memory before and after."""

    before: Memory
    after: Memory


def half_life(days: float) -> float:
    """Return the days, if importance can halve in them. Raises UsageError."""
    if not (math.isfinite(days) and days > 0):
        raise UsageError(f"a half life of {days} days is none; use a number above 0")
    return days


def faded(memory: Memory, now: float, half_life_days: float) -> Memory:
    """Return the memory with the importance that it has now: half of it for each half life without use.

    What is pinned stays. What has faded up to now does not fade again up to the same time.
    """
    rest = left(memory, now, half_life_days)
    return memory if memory.importance - rest < _LEAST else replace(memory, importance=rest, decayed=now)
