"""What seed 001 says of a request for a summary, on the wire: the task, the length, the temperature."""

from __future__ import annotations

import re

import pytest

from compactor_cli.settings import LlmSettings
from tests.builders import jsonl
from tests.llm import server
from tests.llm.server import ANTHROPIC, OPENAI
from tests.llm.summaries import answer_request, directive
from tests.llm.wire import spoken_messages
from tests.strategies import work

BOTH = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
SMALL = "openai/a-model-of-ones-own"
"""A model that the table does not know, so its context is taken for a small one."""
LONG = jsonl(*work.session(60))


@pytest.fixture
def well(provider):
    provider.play(server.reply_with(answer_request))
    return provider


def task_of(received):
    """What a request says the session began with."""
    (text,) = [text for _, text in spoken_messages(received) if "## Original User Task\n" in text]
    return re.findall(r"## Original User Task\n<task>\n(.*?)\n</task>", text, re.DOTALL)[0]


@BOTH
@pytest.mark.parametrize("strategy", ["rolling", "summarize"])
def test_the_original_task_is_in_the_request(well, compacting, model, strategy):
    compacting(jsonl(*work.session(12)), model, strategy=strategy, target_ratio=0.4)
    assert well.received
    assert [task_of(received) for received in well.received] == [work.FIRST] * len(well.received)


def test_it_is_in_the_request_of_every_stretch_and_in_the_one_that_merges_them(well, compacting):
    _, asker = compacting(LONG, SMALL, strategy="rolling", target_ratio=0.3)
    assert asker.fallbacks == []
    merging = [received for received in well.received if '<summary stretch="' in received.text]
    assert merging
    assert len(well.received) > 2
    assert [task_of(received) for received in well.received] == [work.FIRST] * len(well.received)


def test_a_later_round_says_it_too(well, compacting):
    found, _ = compacting(jsonl(*work.session(12)), strategy="rolling", target_ratio=0.4)
    well.received.clear()
    grown = found.data + jsonl(*work.session(12)[2:])
    compacting(grown, strategy="rolling", target_tokens=3_000)
    assert well.received
    assert all(task_of(received) == work.FIRST for received in well.received)


def test_by_default_800_tokens_are_asked_for_and_1000_allowed(well, compacting):
    assert LlmSettings().summary_tokens == 800
    compacting(LONG, strategy="rolling", target_ratio=0.6)
    (received,) = well.received
    assert "Write at most 800 tokens" in directive(received)
    assert received.body["max_tokens"] >= 1000
    well.received.clear()
    compacting(LONG, strategy="rolling", target_ratio=0.6, llm={"summary_tokens": 300})
    (received,) = well.received
    assert "Write at most 300 tokens" in directive(received)
    assert 375 <= received.body["max_tokens"] < 800


@pytest.mark.drawn(2)
@BOTH
def test_the_temperature_is_the_one_that_is_set(well, compacting, model):
    data = jsonl(*work.session(12))
    compacting(data, model, strategy="rolling", target_ratio=0.4)
    assert well.received[-1].body["temperature"] == LlmSettings().temperature
    compacting(data, model, strategy="rolling", target_ratio=0.4, llm={"temperature": 0.2})
    assert well.received[-1].body["temperature"] == 0.2
