"""The scorers. A new one is one file here and one line in SCORERS."""

from __future__ import annotations

from compactor_cli.errors import UsageError
from compactor_cli.scoring.base import Scorer
from compactor_cli.scoring.factors import FactorScorer
from compactor_cli.scoring.weighted import WeightedScorer

SCORERS: dict[str, Scorer] = {scorer.name: scorer for scorer in (FactorScorer(), WeightedScorer())}


def scorer(name: str) -> Scorer:
    """The scorer of this name. Raises UsageError for an unknown one."""
    if name not in SCORERS:
        raise UsageError(f"unknown scorer {name!r}; known: {', '.join(SCORERS)}")
    return SCORERS[name]
