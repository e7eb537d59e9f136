"""Memories for tests."""

from __future__ import annotations

from compactor_cli.model.memory import Memory

DAY = 86_400
NOW = 1_790_000_000.0
"""A time in September 2026."""


def make_memory(text: str, category: str = "fact", **more: object) -> Memory:
    given: dict = {"importance": 70.0, "confidence": 0.6, "created": NOW, **more}
    return Memory(text=text, category=category, **given)


def some_memories(number: int) -> tuple[Memory, ...]:
    """Return memories of different lengths, all different."""
    return tuple(
        make_memory(f"The service number {at} listens on port {8000 + at}" + " and writes a log of its own" * (at % 4))
        for at in range(number)
    )
