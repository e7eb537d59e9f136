"""The interface of scorers."""

from __future__ import annotations

from typing import Protocol

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
