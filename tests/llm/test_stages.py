"""The stages of seed 003, as `api.compact` tells of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from compactor_cli import api
from compactor_cli.errors import ModelError
from compactor_cli.model.memory import Memory
from compactor_cli.pipeline.one_compaction import STAGES
from compactor_cli.settings import ScoringSettings
from tests.builders import ROOT, jsonl
from tests.llm import server
from tests.llm.summaries import answer_request
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

ALL = ["analyzing", "clustering", "extracting", "summarizing", "persisting", "complete"]
UNFLUSHED = ["analyzing", "clustering", "summarizing", "complete"]
OTHERS = ["adaptive", "rolling", "tiered", "handoff", "ranked", "summarize", "truncate"]
WITHOUT = [stage for stage in UNFLUSHED if stage != "clustering"]


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
    provider.play(server.reply_with(answer_request))
    summarizer = "llm" if by_model else "extractive"
    compacting(
        jsonl(*work.session(8)), strategy="hybrid", target_tokens=5_000, summarizer=summarizer, on_stage=on_stage
    )
    assert told == [(stage, STAGES[stage]) for stage in UNFLUSHED]


def test_the_stages_say_what_the_seed_has_them_say():
    assert STAGES == {
        "idle": "",
        "analyzing": "Reviewing conversation insights...",
        "clustering": "Grouping related topics...",
        "extracting": "Finding key learnings...",
        "summarizing": "Creating memory snapshot...",
        "persisting": "Saving to long-term memory...",
        "complete": "Memory refreshed! ✨",
    }


def remembering_answer(received):
    """Judges, resolves, sorts or summarizes, as the request asks."""
    if "importance_score" in received.text:
        numbers = re.findall(r'<message number="(\d+)"', received.text)
        entries = [
            {"index": int(n), "importance_score": 80, "category": "fact", "confidence": 0.9, "statement": ""}
            for n in numbers
        ]
        for entry in entries[1:]:
            entry.update(importance_score=10, category="none")
        return json.dumps({"messages": entries})
    if "<statement" in received.text:
        return json.dumps({"statement": re.findall(r"<statement[^>]*>\n(.*)\n</statement>", received.text)[-1]})
    return answer_request(received)


def test_memories_are_extracted_before_the_summaries_and_written_last(provider, compacting, told, on_stage):
    """The stages of the seed, each with the requests that belong to it and no others."""
    during, written = [], []

    def noting(received):
        judging, resolving = "importance_score" in received.text, "<statement" in received.text
        kind = "judge" if judging else "resolve" if resolving else "other"
        during.append((told[-1][0], kind))
        return remembering_answer(received)

    provider.play(server.reply_with(noting))
    result, _ = compacting(
        jsonl(*work.session(8), {"role": "user", "content": "I like how you did that."}),
        strategy="hybrid",
        target_tokens=5_000,
        on_stage=on_stage,
        scoring=ScoringSettings(scorer="classifier"),
        flush=lambda memories: written.append((told[-1][0], memories)),
    )
    assert names(told) == ALL
    assert {stage for stage, kind in during if kind == "judge"} == {"analyzing"}
    assert {stage for stage, kind in during if kind == "resolve"} <= {"extracting"}
    assert {stage for stage, kind in during if kind == "other"} == {"clustering", "summarizing"}
    assert [stage for stage, _ in written] == ["persisting"]
    assert written[0][1] == result.parts[0].memories != ()


def test_offline_memories_have_their_stages_too(told, on_stage):
    written: list[Sequence[Memory]] = []
    data = jsonl(*work.session(8), {"role": "user", "content": "Always run the linter before a push."})
    api.compact(api.load(data), api.Settings(target_tokens=3_000), on_stage=on_stage, flush=written.append, at=5.0)
    assert names(told) == ["analyzing", "extracting", "summarizing", "persisting", "complete"]
    assert [(m.text, m.created) for m in written[0]] == [("Always run the linter before a push.", 5.0)]


def test_what_stays_as_it_is_gives_no_memories(told, on_stage):
    written: list[Sequence[Memory]] = []
    data = jsonl(*work.session(2), {"role": "user", "content": "Always run the linter before a push."})
    api.compact(api.load(data), api.Settings(target_ratio=1.0), on_stage=on_stage, flush=written.append)
    assert names(told) == ["analyzing", "complete"]
    assert written == []


def test_the_current_stage_can_be_asked_for(provider, compacting):
    now = api.CurrentStage()
    assert (now.stage, now.message) == ("idle", "")
    api.compact(api.load(jsonl(*work.session(8))), api.Settings(target_tokens=3_000), on_stage=now)
    assert (now.stage, now.message) == ("complete", "Memory refreshed! ✨")
    provider.play(server.fail_with(400))
    with pytest.raises(ModelError):
        compacting(jsonl(*work.session(8)), target_tokens=5_000, llm={"fallback": False}, on_stage=now)
    assert now.stage == "idle"


@pytest.mark.parametrize("strategy", OTHERS)
def test_the_others_seek_no_topics(provider, compacting, told, on_stage, strategy):
    provider.play(server.reply_with(answer_request))
    compacting(jsonl(*work.session(8)), strategy=strategy, target_tokens=5_000, on_stage=on_stage)
    assert names(told) == WITHOUT


def test_a_request_is_sent_within_the_stage_that_it_is_for(provider, compacting, told, on_stage):
    during = []

    def noting(received):
        during.append(told[-1][0])
        return answer_request(received)

    provider.play(server.reply_with(noting))
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
    provider.play(server.fail_with(400))
    with pytest.raises(ModelError):
        compacting(jsonl(*work.session(8)), target_tokens=5_000, llm={"fallback": False}, on_stage=on_stage)
    assert names(told) == ["analyzing", "summarizing", "idle"]
