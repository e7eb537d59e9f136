"""What a model is asked for has a length that says something: old tiers and batches are sent, or joined."""

from __future__ import annotations

import re

import pytest

from compactor_cli.summary_text.headers import writer_of
from tests.builders import ROOT
from tests.llm import server
from tests.llm.summaries import answer_request, directive, headings
from tests.llm.wire import shown_messages, written_summaries

SAMPLE = (ROOT / "sample_transcripts" / "openai-chat.jsonl").read_bytes()
LEAST = 80
"""Words below which a summary of many messages says nothing."""
OLD = ["About", "Conclusions", "Outcomes"]


@pytest.fixture
def well(provider):
    provider.play(server.reply_with(answer_request))
    return provider


def words(received):
    return int(re.findall(r"about (\d+) words", directive(received))[0])


@pytest.mark.parametrize("ratio", [None, 0.5, 0.25])
def test_the_oldest_tier_is_sent_and_its_summary_has_room(well, compacting, ratio):
    found, asker = compacting(SAMPLE, strategy="tiered", target_ratio=ratio)
    assert asker.fallbacks == []
    old = [received for received in well.received if headings(received) == OLD]
    assert old
    assert sum(len(shown_messages(received)) for received in old) >= 30
    assert all(words(received) >= 49 for received in old), "70 tokens, and a third more where nothing parts them"
    assert max(map(words, old)) >= LEAST
    assert any(writer_of(text) and "(tier 3;" in text for text in written_summaries(found.data))
    assert found.parts[0].target is None or found.parts[0].tokens <= found.parts[0].target


@pytest.mark.parametrize("ratio", [None, 0.5, 0.25])
def test_batches_of_ranked_that_have_too_little_room_are_joined(well, compacting, ratio):
    _, asker = compacting(SAMPLE, strategy="ranked", target_ratio=ratio)
    assert asker.fallbacks == []
    assert well.received
    asked = [received for received in well.received if "These messages are a batch" in directive(received)]
    assert asked
    assert min(map(words, asked)) >= LEAST
