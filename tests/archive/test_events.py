"""A round as the events that the seeds describe."""

from __future__ import annotations

from compactor_cli.archive.manifest import make_manifest_of
from compactor_cli.render.archive import compression_event
from tests.builders import compact, jsonl, load
from tests.pipeline.sessions import long_session


def test_the_event_of_a_round():
    data = jsonl(*long_session())
    done = compact(data, strategy="rolling", target_ratio=0.3)
    (part,) = done.parts
    (one,) = make_manifest_of(load(data), done.data, done.parts, "out.jsonl", "chars").rounds
    said = compression_event(one)
    assert said["originalTokens"] == said["tokensBefore"] == part.before.tokens
    assert said["optimizedTokens"] == said["tokensAfter"] == part.tokens
    assert said["compressionRatio"] == part.tokens / part.before.tokens
    assert said["round"] == 1
    assert said["summaryContent"] == next(m.text() for m in part.messages if m.origin == "summary")
    assert len(said["compactedMessageIds"]) == one.messages_before - (one.messages_after - 1)
