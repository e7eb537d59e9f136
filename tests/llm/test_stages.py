"""The stages of seed 003, as `api.compact` tells of them."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.errors import ModelError
from compactor_cli.pipeline.stages import STAGES
from tests.builders import ROOT, jsonl
from tests.llm import server
from tests.llm.summaries import answer
from tests.strategies import work

ALL = ["analyzing", "clustering", "extracting", "summarizing", "persisting", "complete"]
OTHERS = ["adaptive", "rolling", "tiered", "handoff", "ranked", "summarize", "truncate"]
WITHOUT = [stage for stage in ALL if stage != "clustering"]


@pytest.fixture
def told():
    return []


@pytest.fixture
def on_stage(told):
    return lambda stage, meaning: told.append((stage, meaning))


def names(told):
    return [stage for stage, _ in told]


@pytest.mark.parametrize("by_model", [False, True], ids=["offline", "by a model"])
def test_hybrid_tells_all_stages_in_order(provider, compacting, told, on_stage, by_model):
    provider.plays(server.says(answer))
    summarizer = "llm" if by_model else "extractive"
    compacting(
        jsonl(*work.session(8)), strategy="hybrid", target_tokens=5_000, summarizer=summarizer, on_stage=on_stage
    )
    assert told == [(stage, STAGES[stage]) for stage in ALL]


@pytest.mark.parametrize("strategy", OTHERS)
def test_the_others_seek_no_topics(provider, compacting, told, on_stage, strategy):
    provider.plays(server.says(answer))
    compacting(jsonl(*work.session(8)), strategy=strategy, target_tokens=5_000, on_stage=on_stage)
    assert names(told) == WITHOUT


def test_a_request_is_sent_within_the_stage_that_it_is_for(provider, compacting, told, on_stage):
    during = []

    def noting(received):
        during.append(told[-1][0])
        return answer(received)

    provider.plays(server.says(noting))
    compacting(jsonl(*work.session(8)), strategy="hybrid", target_tokens=5_000, on_stage=on_stage)
    assert during[0] == "clustering"
    assert set(during[1:]) == {"summarizing"}


def test_each_conversation_has_its_stages(told, on_stage):
    data = (ROOT / "sample_transcripts" / "conversations.jsonl").read_bytes()
    found = api.compact(api.load(data), api.Settings(strategy="rolling", target_ratio=0.4), on_stage=on_stage)
    assert names(told) == WITHOUT * len(found.parts)


def test_what_is_within_its_target_is_analyzed_and_complete(told, on_stage):
    data = jsonl(*work.session(2))
    api.compact(api.load(data), api.Settings(target_ratio=1.0), on_stage=on_stage)
    assert names(told) == ["analyzing", "complete"]


def test_a_run_that_fails_is_not_complete(provider, compacting, told, on_stage):
    provider.plays(server.breaks(400))
    with pytest.raises(ModelError):
        compacting(jsonl(*work.session(8)), target_tokens=5_000, llm={"fallback": False}, on_stage=on_stage)
    assert names(told) == ["analyzing", "extracting", "summarizing"]
