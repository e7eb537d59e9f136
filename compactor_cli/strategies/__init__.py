"""The strategies. A new one is one file here and one line in `_CLASSES`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from compactor_cli.errors import UsageError, meant
from compactor_cli.model.planning import Strategy

_CLASSES = {
    "adaptive": "adaptive.strategy.Adaptive",
    "tiered": "tiered.Tiered",
    "ranked": "ranked.Ranked",
    "rolling": "rolling.Rolling",
    "handoff": "handoff.Handoff",
    "hybrid": "hybrid.Hybrid",
    "summarize": "summarize.Summarize",
    "truncate": "truncate.Truncate",
}


class Strategies(Mapping[str, Strategy]):
    """Name -> strategy. One is loaded when it is asked for: what the others need costs a run nothing."""

    def __init__(self) -> None:
        self._loaded: dict[str, Strategy] = {}

    def __getitem__(self, name: str) -> Strategy:
        if name not in self._loaded:
            module, _, of_class = _CLASSES[name].rpartition(".")
            self._loaded[name] = getattr(import_module(f"compactor_cli.strategies.{module}"), of_class)()
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in _CLASSES

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


STRATEGIES = Strategies()


def strategy(name: str) -> Strategy:
    """Return the strategy of this name. Raises UsageError for an unknown one."""
    if name not in STRATEGIES:
        raise UsageError(f"unknown strategy {name!r}{meant(name, STRATEGIES)}; known: {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
