"""Scores of small transcripts, as the command would compute them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.score import Score
from compactor_cli.settings import ScoringSettings, Settings

ScoreRecords = Callable[..., tuple[Score, ...]]


@pytest.fixture
def score_records() -> ScoreRecords:
    def run(*records: Any, now: float | None = None, format: str = "") -> tuple[Score, ...]:
        data = "".join(json.dumps(record) + "\n" for record in records).encode()
        source = api.load(data, "test.jsonl", format=format, tokenizer="chars")
        settings = Settings(scoring=ScoringSettings(now=now))
        (analysis,) = api.score(source, settings, tokenizer="chars")
        return analysis.scores

    return run
