"""The scorers. A new one is one file here and one line in SCORERS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from compactor_cli.errors import NEEDS_MODEL, UsageError, meant
from compactor_cli.scoring.factors import FactorScorer

if TYPE_CHECKING:
    from compactor_cli.asking.port import LanguageModel
    from compactor_cli.model.score import Score
    from compactor_cli.model.transcript import Transcript
    from compactor_cli.settings import Settings


class Scorer(Protocol):
    """Scores every message of a transcript in one pass."""

    name: str
    purpose: str
    asks: bool
    """Whether it asks a model."""

    def score(self, transcript: Transcript, settings: Settings) -> tuple[Score, ...]: ...


def _classifier(model: LanguageModel | None, prompt: str) -> Scorer:
    from compactor_cli.scoring.classifier import ClassifierScorer  # most runs ask no model

    if model is None:
        raise UsageError(f"scorer {ClassifierScorer.name} {NEEDS_MODEL}")
    return ClassifierScorer(model, prompt)


def _weighted(model: LanguageModel | None, prompt: str) -> Scorer:
    from compactor_cli.scoring.weighted import WeightedScorer  # most strategies score by factors

    return WeightedScorer()


SCORERS: dict[str, Callable[[LanguageModel | None, str], Scorer]] = {
    FactorScorer.name: lambda model, prompt: FactorScorer(),
    "weighted": _weighted,
    "classifier": _classifier,
}


def make_scorer(name: str, model: LanguageModel | None = None, prompt: str = "") -> Scorer:
    """Return the scorer with this name. `prompt` replaces the system prompt of a scorer that asks a model. Raises
    UsageError for an unknown name, and for a scorer that needs a model when there is none."""
    if name not in SCORERS:
        raise UsageError(f"unknown scorer {name!r}{meant(name, SCORERS)}; known: {', '.join(SCORERS)}")
    return SCORERS[name](model, prompt)
