"""Messages are scored for those that look at scores: some strategies, and most reports."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.scoring.factors import FactorScorer
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.pipeline.sessions import load, long_session


class CountingScorer(FactorScorer):
    def __init__(self, *, asks: bool = False) -> None:
        self.asks = asks
        self.calls = 0

    def score(self, transcript: Transcript, settings: Settings) -> tuple[Score, ...]:
        self.calls += 1
        return super().score(transcript, settings)


def compacted(strategy: str, scorer: CountingScorer):
    (transcript,) = load(long_session(40)).transcripts
    settings = Settings(strategy=strategy, target_tokens=600)
    tools = tools_for(transcript, make_counter("chars").counter, settings)
    return compact(transcript, replace(tools, scorer=scorer), settings)


@pytest.mark.parametrize(("strategy", "calls"), [("adaptive", 0), ("truncate", 0), ("tiered", 1), ("ranked", 1)])
def test_only_strategies_that_look_at_scores_have_messages_scored(strategy, calls):
    scorer = CountingScorer()
    compacted(strategy, scorer)
    assert scorer.calls == calls


def test_a_report_has_the_scores_made_once():
    scorer = CountingScorer()
    part = compacted("adaptive", scorer)
    assert len(part.scores) == len(part.message_tiers) == len(part.repaired.messages)
    assert part.tiers[3].tokens_before > 0
    assert scorer.calls == 1


def test_a_scorer_that_asks_a_model_is_asked_whatever_the_strategy():
    """Its use of the model is reported with the output, so that it cannot come later."""
    scorer = CountingScorer(asks=True)
    compacted("adaptive", scorer)
    assert scorer.calls == 1
