"""What a scorer is."""

from __future__ import annotations

from typing import Protocol

from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript


class Scorer(Protocol):
    """Judges every message of a transcript, in one pass. `now` is in seconds since 1970."""

    name: str

    def score(self, transcript: Transcript, *, now: float | None) -> tuple[Score, ...]: ...
