"""Named presets for when to compact. A new preset is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Preset(Struct, frozen=True):
    """A named group of settings. They are weaker than the settings of the layer that names the preset."""

    purpose: str
    values: Mapping[str, Any]


PRESETS: dict[str, Preset] = {
    "window": Preset(
        "from 80 percent of what the reserves leave of the model's context limit",
        {
            "context.threshold": None,
            "context.system_reserve": 2_000,
            "context.output_reserve": 4_000,
            "context.safety_buffer": 5_000,
            "context.threshold_percent": 0.80,
            "context.warning_percent": 0.80,
            "recent_messages": 10,
        },
    ),
    "chat": Preset(
        "from 80,000 tokens, strategy hybrid, the newest 10 messages kept",
        {
            "context.threshold": 80_000,
            "context.warning_percent": 0.80,
            "strategy": "hybrid",
            "recent_messages": 10,
        },
    ),
    "agent": Preset(
        "from 200,000 tokens, strategy handoff",
        {"context.threshold": 200_000, "strategy": "handoff"},
    ),
}
"""Presets from seeds 001, 003 and 004."""
