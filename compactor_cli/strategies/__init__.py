"""The strategies. A new one is one file here and one line in STRATEGIES."""

from __future__ import annotations

from compactor_cli.errors import UsageError, meant
from compactor_cli.model.planning import Strategy
from compactor_cli.strategies.adaptive.strategy import Adaptive
from compactor_cli.strategies.handoff import Handoff
from compactor_cli.strategies.hybrid import Hybrid
from compactor_cli.strategies.ranked import Ranked
from compactor_cli.strategies.rolling import Rolling
from compactor_cli.strategies.summarize import Summarize
from compactor_cli.strategies.tiered import Tiered
from compactor_cli.strategies.truncate import Truncate

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Adaptive(),
        Tiered(),
        Ranked(),
        Rolling(),
        Handoff(),
        Hybrid(),
        Summarize(),
        Truncate(),
    )
}


def strategy(name: str) -> Strategy:
    """Return the strategy of this name. Raises UsageError for an unknown one."""
    if name not in STRATEGIES:
        raise UsageError(f"unknown strategy {name!r}{meant(name, STRATEGIES)}; known: {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
