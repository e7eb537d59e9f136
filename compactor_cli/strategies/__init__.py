"""The strategies. To add one, add a file here and a line in `_CLASSES`.

A class says what the strategy is, which many commands show. A strategy of much code loads it only when it plans.
"""

from __future__ import annotations

from collections.abc import Mapping

from compactor_cli.errors import UsageError, meant
from compactor_cli.model.loaded_later import LoadedLater
from compactor_cli.model.planning import Strategy

_CLASSES = {
    "adaptive": "adaptive.Adaptive",
    "tiered": "tiered.Tiered",
    "ranked": "ranked.Ranked",
    "rolling": "rolling.Rolling",
    "handoff": "handoff.Handoff",
    "hybrid": "hybrid.Hybrid",
    "summarize": "summarize.Summarize",
    "truncate": "truncate.Truncate",
}


STRATEGIES: Mapping[str, Strategy] = LoadedLater[Strategy]("compactor_cli.strategies", _CLASSES)


def strategy(name: str) -> Strategy:
    """Return the strategy with this name. Raises UsageError if there is none."""
    if name not in STRATEGIES:
        raise UsageError(f"unknown strategy {name!r}{meant(name, STRATEGIES)}; known: {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
