"""`compact --flush` with a model that judges what is worth remembering, over real connections."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli import api
from compactor_cli.settings import LlmSettings, MemorySettings, Settings
from compactor_cli.store.database import open_database
from compactor_cli.store.memories import listed
from tests.builders import jsonl
from tests.llm import server, summaries
from tests.llm.server import ANTHROPIC, OPENAI
from tests.strategies import work

BOTH = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
AT = 1_790_000_000.0
_SHOWN = re.compile(r'<message number="(\d+)"')


def is_judging(text):
    return "importance_score" in text


def judged(received):
    """The first message that is shown is worth remembering, and every third from there on."""
    entries = [
        {
            "index": int(number),
            "importance_score": 10 if at % 3 else 70 + at % 7,
            "category": "none" if at % 3 else "fact",
            "confidence": 0.8,
        }
        for at, number in enumerate(_SHOWN.findall(received.text))
    ]
    return json.dumps({"messages": entries})


def answer(received):
    if is_judging(received.text):
        return judged(received)
    if "<statement" in received.text:
        return json.dumps({"statement": re.findall(r"<statement[^>]*>\n(.*)\n</statement>", received.text)[-1]})
    return summaries.answer(received)


def remembered(file):
    database = open_database(str(file))
    try:
        with database.read() as connection:
            return list(listed(connection))
    finally:
        database.close()


@pytest.fixture
def work_session(tmp_path):
    (tmp_path / "work.jsonl").write_bytes(jsonl(*work.session(8)))


def flushing(provider, runner, model, *args, **more):
    return runner(
        "compact", "work.jsonl", "-o", "out.jsonl", "--target-tokens", 3_000, "--summarizer", "llm", "--flush",
        "--database", "log.db", *args, **provider.environment(model, **more),
    )  # fmt: skip


@BOTH
def test_what_the_model_judges_is_in_the_log(provider, run, work_session, tmp_path, model):
    provider.plays(server.says(answer))
    done = flushing(provider, run, model)
    assert done.code == 0, done.stderr
    memories = remembered(tmp_path / "log.db")
    assert memories
    assert {memory.category for memory in memories} == {"fact"}
    assert {memory.confidence for memory in memories} == {0.8}
    assert {memory.importance for memory in memories} <= {70 + at % 7 for at in range(0, 21, 3)}


def test_a_model_that_fails_leaves_it_to_the_rules(provider, quick, work_session, tmp_path):
    provider.plays(server.breaks(400, when=is_judging), server.says(answer))
    done = flushing(provider, quick, OPENAI)
    assert done.code == 0, done.stderr
    assert "classification of messages" in done.stderr
    offline = api.extract_memories(api.load((tmp_path / "work.jsonl").read_bytes()), at=AT)
    assert {m.text for m in remembered(tmp_path / "log.db")} == {m.text for m in offline}


def test_without_fallback_it_is_exit_code_5_and_nothing_is_kept(provider, quick, work_session, tmp_path):
    provider.plays(server.breaks(400, when=is_judging), server.says(answer))
    done = flushing(provider, quick, OPENAI, "--no-fallback")
    assert done.code == 5
    assert not (tmp_path / "out.jsonl").exists()
    assert not (tmp_path / "log.db").exists() or remembered(tmp_path / "log.db") == []


def test_the_prompt_of_the_settings_reaches_the_provider(provider, quick, work_session):
    provider.plays(server.says(answer))
    done = flushing(provider, quick, OPENAI, COMPACTOR_MEMORY_PROMPT="Only what Lena said counts.")
    assert done.code == 0, done.stderr
    judging = [received for received in provider.received if is_judging(received.text)]
    assert judging
    assert all(r.body["messages"][0]["content"].startswith("Only what Lena said counts.") for r in judging)


@BOTH
def test_through_the_api(provider, loaded_litellm, model):
    provider.plays(server.says(answer))
    llm = LlmSettings(api_base=provider.api_base(model), cache=False, backoff=0.0)
    settings = Settings(llm=llm, memory=MemorySettings(threshold=69))
    source = api.load(jsonl(*work.session(4)), tokenizer="chars")
    asker = api.language_model(model, settings, tokenizer="chars")
    memories = api.extract_memories(source, settings, model=asker, at=AT)
    assert memories
    assert all(memory.importance >= 69 and memory.created == AT for memory in memories)
    assert not asker.fallbacks
