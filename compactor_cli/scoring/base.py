"""What a scorer is."""

from __future__ import annotations

from typing import Protocol

from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings


class Scorer(Protocol):
    """Judges every message of a transcript, in one pass."""

    name: str
    purpose: str
    asks: bool
    """It asks a model."""

    def score(self, transcript: Transcript, settings: Settings) -> tuple[Score, ...]: ...
