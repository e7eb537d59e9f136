"""How memories fade that nobody uses (seed 003)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compactor_cli.memory.merging import fresh
from compactor_cli.model.memories import Memory

_DAY = 86_400.0
_LEAST = 0.05
"""Points below which fading waits until there is more of it: nobody would see the difference."""


@dataclass(frozen=True, slots=True)
class Faded:
    """A memory before and after."""

    before: Memory
    after: Memory


def faded(memory: Memory, now: float, half_life_days: float) -> Memory:
    """The memory with the importance that it has now: half of it for each half life without use.

    What is pinned stays. What has faded up to now does not fade again up to the same time.
    """
    days = (now - fresh(memory)) / _DAY
    if memory.pinned or days <= 0 or memory.importance == 0:
        return memory
    left = memory.importance * 0.5 ** (days / half_life_days)
    return memory if memory.importance - left < _LEAST else replace(memory, importance=left, decayed=now)
