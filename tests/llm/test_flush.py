"""`compact --flush` with a model that judges what is worth remembering, over real connections."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli import api
from compactor_cli.db.database import open_database
from compactor_cli.memory.stored.memories import list_memories
from compactor_cli.settings import LlmSettings, MemorySettings, Settings
from tests.builders import jsonl
from tests.llm import server, summaries
from tests.llm.server import ANTHROPIC, OPENAI
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

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
    return summaries.answer_request(received)


def remembered(file):
    database = open_database(str(file))
    try:
        with database.read() as connection:
            return list(list_memories(connection))
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
def test_what_the_model_judges_is_in_the_log(provider, quick, work_session, tmp_path, model):
    provider.play(server.reply_with(answer))
    done = flushing(provider, quick, model)
    assert done.code == 0, done.stderr
    memories = remembered(tmp_path / "log.db")
    assert memories
    assert {memory.category for memory in memories} == {"fact"}
    assert {memory.confidence for memory in memories} == {0.8}
    assert {memory.importance for memory in memories} <= {70 + at % 7 for at in range(0, 21, 3)}


SAID = "The review went through all modules and was filed in the wiki as agreed. "
KEY = "The service signs its tokens with the signing key HS256."
TAIL = "It must be replaced by RS256 before release 4.2."
ALONE = "The signing key HS256 must be replaced by RS256 before release 4.2."


def names_the_tail(received):
    """Judges only the message with the tail worth it, and sees no further than what it was shown."""
    if "<statement" in received.text:
        return json.dumps({"statement": ALONE})
    if not is_judging(received.text):
        return summaries.answer_request(received)
    entries = []
    for number, text in re.findall(r'<message number="(\d+)"[^>]*>\n(.*?)\n</message>', received.text, re.DOTALL):
        worth = TAIL in text
        entries.append({
            "index": int(number), "importance_score": 90 if worth else 5, "category": "fact" if worth else "none",
            "confidence": 0.9, "statement": TAIL if worth else "",
        })  # fmt: skip
    return json.dumps({"messages": entries})


@BOTH
def test_a_fact_at_the_end_of_a_long_message_becomes_a_memory(provider, quick, tmp_path, model):
    records = [*work.session(8), {"role": "assistant", "content": SAID * 60 + KEY + " " + TAIL}]
    (tmp_path / "work.jsonl").write_bytes(jsonl(*records))
    provider.play(server.reply_with(names_the_tail))
    done = flushing(provider, quick, model)
    assert done.code == 0, done.stderr
    assert [memory.text for memory in remembered(tmp_path / "log.db")] == [ALONE]
    (resolving,) = [r.text for r in provider.received if "<statement" in r.text]
    assert KEY in resolving


@pytest.mark.drawn(3)
@pytest.mark.parametrize("args", [(), ("--scorer", "classifier"), ("--scorer", "classifier", "--recall", "module")])
def test_no_message_is_judged_twice_and_none_after_a_summary(provider, quick, tmp_path, args):
    """An unanswered call is repaired, which makes the transcript that is scored another than the one that is read."""
    records = work.session(8)
    lost = next(at for at, record in enumerate(records) if record["role"] == "tool")
    (tmp_path / "work.jsonl").write_bytes(jsonl(*records[:lost], *records[lost + 1 :]))
    quick("memory", "add", "The module of billing is old.", "--database", "log.db")
    provider.play(server.reply_with(answer))
    done = flushing(provider, quick, OPENAI, *args, COMPACTOR_LLM_CACHE="false", COMPACTOR_MEMORY_PROMPT="What lasts?")
    assert done.code == 0, done.stderr
    kinds = [
        "judge" if is_judging(r.text) else "resolve" if "<statement" in r.text else "sum" for r in provider.received
    ]
    assert "judge" in kinds and "sum" in kinds
    assert "sum" not in kinds[: len(kinds) - kinds[::-1].index("judge")], "memories come before the summaries"
    shown = [
        (by, body)
        for r in provider.received
        if is_judging(r.text)
        for by, body in re.findall(r'<message number="\d+" from="(\w+)">\n(.*?)\n</message>', r.text, re.DOTALL)
    ]
    assert len(shown) == len(set(shown))


def test_a_model_that_fails_leaves_it_to_the_rules(provider, quick, work_session, tmp_path):
    provider.play(server.fail_with(400, when=is_judging), server.reply_with(answer))
    done = flushing(provider, quick, OPENAI)
    assert done.code == 0, done.stderr
    assert "classification of messages" in done.stderr
    offline = api.extract_memories(api.load((tmp_path / "work.jsonl").read_bytes()), at=AT)
    assert {m.text for m in remembered(tmp_path / "log.db")} == {m.text for m in offline}


def test_without_fallback_it_is_exit_code_5_and_nothing_is_kept(provider, quick, work_session, tmp_path):
    provider.play(server.fail_with(400, when=is_judging), server.reply_with(answer))
    done = flushing(provider, quick, OPENAI, "--no-fallback")
    assert done.code == 5
    assert not (tmp_path / "out.jsonl").exists()
    assert not (tmp_path / "log.db").exists() or remembered(tmp_path / "log.db") == []


def test_the_prompt_of_the_settings_reaches_the_provider(provider, quick, work_session):
    provider.play(server.reply_with(answer))
    done = flushing(provider, quick, OPENAI, COMPACTOR_MEMORY_PROMPT="Only what Lena said counts.")
    assert done.code == 0, done.stderr
    judging = [received for received in provider.received if is_judging(received.text)]
    assert judging
    assert all(r.body["messages"][0]["content"].startswith("Only what Lena said counts.") for r in judging)


@BOTH
def test_through_the_api(provider, loaded_litellm, model):
    provider.play(server.reply_with(answer))
    llm = LlmSettings(api_base=provider.api_base(model), cache=False, backoff=0.0)
    settings = Settings(llm=llm, memory=MemorySettings(threshold=69))
    source = api.load(jsonl(*work.session(4)), tokenizer="chars")
    asker = api.language_model(model, settings, tokenizer="chars")
    memories = api.extract_memories(source, settings, model=asker, at=AT)
    assert memories
    assert all(memory.importance >= 69 and memory.created == AT for memory in memories)
    assert not asker.fallbacks
