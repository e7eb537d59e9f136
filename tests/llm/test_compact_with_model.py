"""Compacting with a model that does as it is asked: every strategy, the cache, cost, rounds, and what is written."""

from __future__ import annotations

import json
import re
import shutil
import threading

import pytest

from compactor_cli import api
from compactor_cli.settings import SummarizationSettings
from compactor_cli.summary_text.headers import round_of, writer_of
from tests.builders import ROOT, find_faults, jsonl
from tests.conftest import DATA
from tests.llm import server
from tests.llm.server import ANTHROPIC, OPENAI
from tests.llm.summaries import answer_request, directive, headings, true_summary
from tests.llm.wire import earlier_summaries, shown_messages, system_texts, turns, written_summaries
from tests.strategies import work
from tests.strategies.growing import check_rounds, compact_rounds, facts_in, split_session

pytestmark = pytest.mark.one_test_in(3)

BOTH = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
WRITING = ("rolling", "tiered", "handoff", "ranked", "hybrid", "summarize")
SESSION = (DATA / "session.jsonl").read_bytes()
HONEST = "The work went on as it was asked for."
UNPRICED = "openai/a-model-of-ones-own"
SAMPLES = ("openai-chat.jsonl", "claude-code.jsonl")


def sample(name):
    return (ROOT / "sample_transcripts" / name).read_bytes()


@pytest.fixture
def well(provider):
    """The provider answers as it should."""
    provider.play(server.reply_with(answer_request))
    return provider


# every strategy


@pytest.mark.drawn(12)
@BOTH
@pytest.mark.parametrize("strategy", WRITING)
def test_every_strategy_that_has_summaries_with_a_text_of_their_own(well, compacting, model, strategy):
    for data in (SESSION, *map(sample, SAMPLES)):
        well.received.clear()
        found, asker = compacting(data, model, strategy=strategy, target_ratio=0.4)
        (part,) = found.parts
        assert well.received
        assert asker.usage.requests == len(well.received)
        assert asker.usage.failures == 0
        assert (part.summarizer, part.warnings) == ("llm", ())
        assert part.tokens <= part.target
        after = api.load(found.data, tokenizer="chars")
        assert sum(t.tokens for t in after.transcripts) == part.tokens
        assert find_faults(after) == []
        assert any(writer_of(m.text("text")) == model for m in part.messages if m.origin == "summary")
        again = api.compact(after, api.Settings(target_ratio=0.4, strategy=strategy), tokenizer="chars")
        assert again.data == found.data


@pytest.mark.parametrize("strategy", ["adaptive", "truncate"])
def test_strategies_without_a_text_of_their_own_ask_nothing(well, compacting, strategy):
    found, asker = compacting(SESSION, strategy=strategy, target_ratio=0.4)
    offline, _ = compacting(SESSION, strategy=strategy, target_ratio=0.4, summarizer="extractive")
    assert (well.received, asker.usage.requests) == ([], 0)
    assert found.data == offline.data


@pytest.mark.drawn(9)
@pytest.mark.parametrize("strategy", WRITING)
@pytest.mark.parametrize("ratio", [0.05, 0.15, 0.9])
def test_a_target_is_kept_however_small_or_large(well, compacting, strategy, ratio):
    data = jsonl(*work.session(8))
    found, _ = compacting(data, strategy=strategy, target_ratio=ratio)
    assert found.parts[0].tokens <= found.parts[0].target
    assert find_faults(api.load(found.data)) == []


def test_without_a_target_each_tier_is_cut_to_its_share(well, compacting):
    found, asker = compacting(jsonl(*work.session(8)), strategy="")
    assert asker.usage.requests
    assert found.parts[0].tokens < found.parts[0].before.tokens


# the command


class Command:
    """The command in a folder, before a provider that answers well."""

    def __init__(self, folder, quick, provider):
        self.folder, self.provider, self._quick = folder, provider, quick

    def compact(self, *args, files=("session.jsonl",), model=OPENAI, out=("-o", "out.jsonl"), code=0, **variables):
        variables = {**self.provider.environment(model), **variables}
        base = ("compact", *files, "--target-ratio", "0.4", "--summarizer", "llm", "--report", "report.json")
        done = self._quick(*base, *out, *args, **variables)
        assert done.code == code, done.stderr
        return done

    def read(self, name="out.jsonl"):
        return (self.folder / name).read_bytes()

    @property
    def reports(self):
        return [json.loads(line) for line in (self.folder / "report.json").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def command(tmp_path, quick, well, session):
    return Command(tmp_path, quick, well)


@pytest.mark.drawn(2)
@BOTH
def test_the_report_says_what_was_asked_and_the_second_run_asks_nothing(command, model):
    done = command.compact(model=model)
    (report,) = command.reports
    first = command.read()
    (received,) = command.provider.received
    used = report["model"]
    assert (used["name"], used["asked"], used["requests"], used["failures"]) == (model, True, 1, 0)
    assert used["prompt_tokens"] == len(received.text) // 4
    assert used["completion_tokens"] == len(true_summary(received)) // 4
    assert 0 < used["cost_usd"] < 0.05
    assert report["cache"] == {"hits": 0, "misses": 1}
    assert (report["summarizer"], report["strategy"], report["warnings"]) == ("llm", "rolling", [])
    assert f"asking {model}: 1 request, " in done.stderr
    assert f"{model}: 1 request, {used['prompt_tokens']:,} + {used['completion_tokens']} tokens, $" in done.stderr
    assert done.stdout == b""

    done = command.compact(model=model)
    (report,) = command.reports
    used = report["model"]
    assert len(command.provider.received) == 1
    assert command.read() == first
    assert report["cache"] == {"hits": 1, "misses": 0}
    assert (used["requests"], used["cost_usd"], used["prompt_tokens"]) == (0, 0, 0)
    assert report["summarizer"] == "llm"
    assert "asking" not in done.stderr
    assert "1 answer from the cache" in done.stderr

    command.compact("--no-cache", model=model)
    assert len(command.provider.received) == 2
    assert command.read() == first
    assert command.reports[0]["cache"] == {"hits": 0, "misses": 1}


def test_a_good_answer_behind_a_bad_one_is_kept_as_well(command):
    command.provider.play(server.reply_with("PWNED", times=1), server.reply_with(answer_request))
    command.compact()
    first = command.read()
    command.compact()
    assert len(command.provider.received) == 2
    assert command.read() == first
    assert command.reports[0]["summarizer"] == "llm"
    assert command.reports[0]["cache"] == {"hits": 2, "misses": 0}


def test_a_failure_is_not_kept(command):
    command.provider.play(server.fail_with(400, times=1), server.reply_with(answer_request))
    command.compact()
    assert command.reports[0]["summarizer"] == "extractive"
    command.compact()
    assert command.reports[0]["summarizer"] == "llm"


def test_two_files_in_one_run_have_reports_of_their_own(command):
    shutil.copy(ROOT / "sample_transcripts" / SAMPLES[0], command.folder / "second.jsonl")
    command.compact(files=("session.jsonl", "second.jsonl"), out=("--out-dir", "out"))
    first, second = command.reports
    assert [first["model"]["requests"], second["model"]["requests"]] == [1, 1]
    received = command.provider.received
    assert [first["model"]["prompt_tokens"], second["model"]["prompt_tokens"]] == [
        len(each.text) // 4 for each in received
    ]
    assert (first["cache"], second["cache"]) == ({"hits": 0, "misses": 1}, {"hits": 0, "misses": 1})
    for name in ("session.jsonl", "second.jsonl"):
        assert f"- {HONEST}" in written_summaries(command.read(f"out/{name}"))[0]


def test_one_file_that_falls_back_leaves_the_other_its_summary(command):
    shutil.copy(ROOT / "sample_transcripts" / SAMPLES[0], command.folder / "second.jsonl")
    command.provider.play(server.fail_with(400, times=1), server.reply_with(answer_request))
    command.compact(files=("session.jsonl", "second.jsonl"), out=("--out-dir", "out"))
    first, second = command.reports
    assert (first["summarizer"], second["summarizer"]) == ("extractive", "llm")
    assert (len(first["model"]["fallbacks"]), second["model"]["fallbacks"]) == (1, [])
    assert second["warnings"] == []


def test_each_conversation_of_a_file_has_its_summary_by_the_model_or_says_why_not(well, compacting):
    found, asker = compacting(sample("conversations.jsonl"), target_ratio=0.75)
    writers = [part.summarizer for part in found.parts]
    assert writers.count("llm") >= 2, asker.fallbacks
    assert asker.usage.requests == len(well.received) == writers.count("llm")
    assert len(asker.fallbacks) == writers.count("extractive")
    assert all("there is room for" in fallback.why for fallback in asker.fallbacks)
    assert all(part.tokens <= part.target for part in found.parts)


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(command):
    done = command.compact("--dry-run", out=())
    assert command.provider.received == []
    assert not (command.folder / "out.jsonl").exists()
    assert re.search(rf"would ask {OPENAI}: 1 request, [\d,]+ tokens, at most \$0\.00\d\d", done.stderr)
    (report,) = command.reports
    assert report["model"]["asked"] is False
    assert report["model"]["requests"] == 1
    assert report["model"]["cost_usd"] > 0
    assert "warning: without the model" not in done.stderr
    estimated = report["model"]
    command.compact()
    assert command.reports[0]["model"]["cost_usd"] < estimated["cost_usd"]


def test_what_may_not_be_paid_is_not_asked(command):
    done = command.compact("--max-cost", "0.000001")
    assert command.provider.received == []
    (report,) = command.reports
    (fallback,) = report["model"]["fallbacks"]
    assert report["summarizer"] == "extractive"
    assert re.fullmatch(r"would cost up to \$0\.00\d+; --max-cost is \$1e-06", fallback["why"])
    assert "asking" not in done.stderr
    before = command.read()
    done = command.compact("--max-cost", "0.000001", "--no-fallback", code=5)
    assert "--max-cost is" in done.stderr
    assert command.read() == before
    command.compact("--max-cost", "0.1")
    assert len(command.provider.received) == 1


def test_a_limit_of_cost_without_a_price_is_wrong_usage(command):
    done = command.compact("--max-cost", "0.01", model=UNPRICED, code=2)
    assert f"the price of {UNPRICED} is not known" in done.stderr
    assert not (command.folder / "out.jsonl").exists()
    assert command.provider.received == []
    command.compact(model=UNPRICED)
    assert command.reports[0]["model"]["cost_usd"] is None


def test_a_strategy_that_writes_nothing_says_that_no_model_is_asked(command):
    done = command.compact("--strategy", "adaptive")
    assert "--summarizer llm is not used" in done.stderr
    assert command.provider.received == []


def test_without_a_model_named_it_is_wrong_usage(command):
    done = command.compact(code=2, COMPACTOR_LLM_MODEL="")
    assert "needs a model; name one with --llm-model" in done.stderr


def test_what_is_within_its_target_is_not_asked_about(command):
    command.compact("--target-ratio", "1")
    assert command.provider.received == []
    assert command.read() == SESSION


def test_standard_output_has_the_transcript_and_nothing_else(command):
    done = command.compact(out=())
    command.compact()
    assert done.stdout == command.read()
    assert len(command.provider.received) == 1


def test_a_run_pays_for_as_many_parts_as_it_may(well, compacting):
    data = jsonl(*work.session(8))
    settings = {**MANY, "summarization": BATCHES}
    _, asker = compacting(data, **settings)
    whole = len(well.received)
    well.received.clear()
    found, asker = compacting(data, **settings, llm={"max_cost": 0.0012, "concurrency": 1})
    assert 0 < len(well.received) < whole
    assert asker.usage.cost <= 0.0012
    assert all("--max-cost is $0.0012" in fallback.why for fallback in asker.fallbacks)
    (text,) = written_summaries(found.data)
    assert text.count(f"- {HONEST}") == 4 - sum(each.what.startswith("Batch") for each in asker.fallbacks)
    assert found.parts[0].tokens <= found.parts[0].target


def test_a_stretch_that_fails_is_quoted_and_the_others_stand(well, compacting):
    data = jsonl(*work.session(8))
    bad = server.reply_with(
        "### Nothing", when=lambda text: "The conversation ends here." in text and 'number="2"' in text
    )
    well.play(bad, server.reply_with(answer_request))
    settings = {**MANY, "summarization": BATCHES}
    found, asker = compacting(data, **settings)
    (fallback,) = asker.fallbacks
    assert fallback.what.startswith("messages 2")
    assert "Batches 1-5 of 8, summarized again" in fallback.what
    (text,) = written_summaries(found.data)
    assert text.count(f"- {HONEST}") == 4


def test_the_options_of_the_command_reach_the_model(command):
    both_there = threading.Barrier(2, timeout=30)

    def in_pairs(received):
        both_there.wait()
        return answer_request(received)

    command.provider.play(server.reply_with(in_pairs, times=2), server.reply_with(answer_request))
    (command.folder / "session.jsonl").write_bytes(jsonl(*work.session(8)))
    small = {"COMPACTOR_SUMMARIZATION_CHUNK_SIZE": "8", "COMPACTOR_SUMMARIZATION_MAX_SUMMARIES": "4"}
    options = ("--strategy", "ranked", "--concurrency", "2", "--llm-model", ANTHROPIC)
    command.compact(*options, COMPACTOR_LLM_API_BASE=command.provider.api_base(ANTHROPIC), **small)
    (report,) = command.reports
    assert command.provider.most_at_once == 2
    assert {received.api for received in command.provider.received} == {"anthropic"}
    assert report["model"]["name"] == ANTHROPIC
    assert report["model"]["requests"] == len(command.provider.received) >= 4


def test_check_says_whether_it_would_change_and_writes_nothing(command):
    command.compact("--check", out=(), code=1)
    assert command.read("session.jsonl") == SESSION


# requests at the same time


MANY = {"strategy": "ranked", "target_tokens": 5_000}
BATCHES = SummarizationSettings(chunk_size=8, max_summaries=4)


def test_the_bytes_do_not_depend_on_how_many_are_asked_at_the_same_time(provider, compacting):
    data = jsonl(*work.session(8))
    all_there = threading.Barrier(4, timeout=30)

    def together(received):
        all_there.wait()
        return answer_request(received)

    provider.play(server.reply_with(together, times=4), server.reply_with(answer_request))
    four, asker = compacting(data, **MANY, summarization=BATCHES, llm={"concurrency": 4})
    assert asker.fallbacks == []
    assert provider.most_at_once == 4
    provider.most_at_once = 0
    provider.play(server.reply_with(answer_request))
    one, _ = compacting(data, **MANY, summarization=BATCHES, llm={"concurrency": 1})
    assert provider.most_at_once == 1
    assert one.data == four.data


def test_no_more_are_asked_at_the_same_time_than_allowed(provider, compacting):
    both_there = threading.Barrier(2, timeout=30)

    def in_pairs(received):
        both_there.wait()
        return answer_request(received)

    provider.play(server.reply_with(in_pairs, times=4), server.reply_with(answer_request))
    compacting(jsonl(*work.session(8)), **MANY, summarization=BATCHES, llm={"concurrency": 2})
    assert provider.most_at_once == 2


# what is written


def test_a_summary_by_a_model_has_its_parts_in_order(well, compacting):
    found, _ = compacting(SESSION, target_ratio=0.4)
    (text,) = written_summaries(found.data)
    first_request = next(m.text("text") for m in found.parts[0].before.messages if m.origin == "request")
    wanted = [
        "## Session Summary (Compaction Round 1)",
        "Stands for messages 1-",
        f"Written by {OPENAI}; files, errors and commands are computed.",
        "### Original Task",
        first_request,
        *(f"### {title}\n- {HONEST}" for title in headings(well.received[0])),
        "### Files\n",
        "### Errors\n",
        "### Commands\n",
        "### Lines of the session",
    ]
    assert [piece for piece in wanted if piece not in text] == []
    places = [text.index(piece) for piece in wanted]
    assert places == sorted(places)
    assert "Original Task" not in headings(well.received[0])
    assert headings(well.received[0])[:4] == [
        "Completed Work",
        "Key Technical Decisions",
        "Current State",
        "Pending Work",
    ]
    stated = {fact.subject for fact in facts_in(text)}
    assert {"kawa/export.py", "kawa/report.py", "tests/test_export.py"} <= stated
    assert "kawa/names.py" not in stated, "it was only read"


def test_the_ledger_is_that_of_the_session_whatever_the_model_says(well, compacting):
    data = jsonl(*work.session(6))
    found, _ = compacting(data, target_tokens=5_000)
    (text,) = written_summaries(found.data)
    stated = {(fact.section, fact.subject) for fact in facts_in(text)}
    for number in range(4):
        assert ("Files", work.changed_file(number)) in stated
        assert ("Commands", f"pytest -q tests/test_module_{number}.py") in stated


def test_the_words_of_the_model_stand_as_they_were_said(provider, compacting):
    said = "The cause is that kawa/export.py opens the file with latin-1; `utf-8-sig` mends it."

    def good(received):
        return true_summary(received).replace(f"### Current State\n- {HONEST}", f"### Current State\n- {said}")

    provider.play(server.reply_with(good))
    found, asker = compacting(SESSION, target_ratio=0.4)
    assert asker.fallbacks == []
    assert f"### Current State\n- {said}\n" in written_summaries(found.data)[0]


def test_handoff_asks_for_code_in_parts_4_and_5(well, compacting, provider):
    compacting(jsonl(*work.session(8)), strategy="handoff", target_tokens=5_000)
    asked = "\n".join(received.text for received in provider.received)
    files = asked.partition('Under "4. Files and Code Changes"')[2].partition("\n")[0].partition("\\n")[0]
    active = asked.partition('Under "5. Active Work')[2].partition("\n")[0].partition("\\n")[0]
    assert "snippet" in files
    assert "snippet" in active


def test_handoff_has_its_seven_headings_and_the_last_request_at_its_end(well, compacting):
    data = jsonl(*work.session(5))
    found, _ = compacting(data, strategy="handoff", target_tokens=5_000)
    (text,) = written_summaries(found.data)
    own = [line[4:] for line in text.splitlines() if re.match(r"### \d\. ", line)]
    assert [title.partition(".")[0] for title in own] == list("1234567")
    assert headings(well.received[0])[-1] == "7. Immediate Next Step"
    assert len(headings(well.received[0])) in (6, 7)
    assert text.rstrip().endswith(work.LAST)
    assert f"### 7. Immediate Next Step\n- {HONEST}" in text


TIERS = {
    1: ("Participants", "Actions and Outcomes", "Decisions", "Technical Details"),
    2: ("Topics", "Decisions", "Open Items", "Context"),
    3: ("About", "Conclusions", "Outcomes"),
}


def test_each_tier_is_asked_for_with_its_own_prompt(well, compacting):
    found, _ = compacting(jsonl(*work.session(12)), strategy="tiered")
    asked = {tuple(headings(received)): received for received in well.received}
    assert set(asked) == set(TIERS.values())
    for words, tier in (("These messages are recent", 1), ("some way back", 2), ("These messages are old", 3)):
        assert words in directive(asked[TIERS[tier]])
    texts = [text for text in written_summaries(found.data) if writer_of(text)]
    assert len(texts) >= 3, "one for each tier, or more where something kept parts it"
    for tier, titles in TIERS.items():
        own = [text for text in texts if f"(tier {tier};" in text]
        assert own
        assert all(f"### {title}\n- {HONEST}" in text for text in own for title in titles)


@BOTH
def test_the_topics_of_hybrid_are_those_of_the_model(well, compacting, model):
    found, asker = compacting(jsonl(*work.session(8)), model, strategy="hybrid", target_tokens=5_000)
    assert asker.fallbacks == []
    (text,) = written_summaries(found.data)
    assert re.search(rf"^### Topic: The first half.*\n- {HONEST}", text, re.MULTILINE)
    assert re.search(rf"^### Topic: The second half.*\n- {HONEST}", text, re.MULTILINE)
    about_topics = [received for received in well.received if "sort the stretches" in "\n".join(system_texts(received))]
    assert len(about_topics) == 1


def test_topics_that_fail_are_those_of_the_offline_way(provider, compacting):
    data = jsonl(*work.session(8))

    def about_topics(text):
        return "The conversation ends here." not in text

    provider.play(server.reply_with("no JSON", when=about_topics), server.reply_with(answer_request))
    found, asker = compacting(data, strategy="hybrid", target_tokens=5_000)
    assert [fallback.what for fallback in asker.fallbacks] == ["topics"]
    offline, _ = compacting(data, strategy="hybrid", target_tokens=5_000, summarizer="extractive")
    titles = [re.findall(r"^### Topic: .*", written_summaries(each.data)[0], re.MULTILINE) for each in (found, offline)]
    assert titles[0] == titles[1] != []
    assert f"- {HONEST}" in written_summaries(found.data)[0]


@pytest.mark.drawn(6)
@pytest.mark.parametrize("strategy", WRITING)
def test_the_same_request_gives_the_same_bytes(well, compacting, strategy):
    first, _ = compacting(sample(SAMPLES[0]), strategy=strategy, target_ratio=0.3)
    asked = [received.text for received in well.received]
    well.received.clear()
    second, _ = compacting(sample(SAMPLES[0]), strategy=strategy, target_ratio=0.3)
    assert sorted(received.text for received in well.received) == sorted(asked)
    assert second.data == first.data


# rounds


TARGET = 6_000


SAID = ("At first there was a lot to do.", "Later there was less to do.", "In the end all of it was done.")


def saying_its_round(received):
    """Words that are another's in each round, and true of nothing that has a name."""
    return true_summary(received, SAID[max(map(round_of, earlier_summaries(received)), default=0)])


def grow(compacting, models, strategy="rolling", target=TARGET):
    """The session in three pieces, compacted after each; by the model where `models` says so."""
    whole = api.load(jsonl(*work.session(15)), tokenizer="chars").transcripts[0]
    found, kept = [], b""
    for piece, by_model in zip(split_session(whole, 3), models, strict=True):
        summarizer = "llm" if by_model else "extractive"
        result, _ = compacting(kept + piece, strategy=strategy, target_tokens=target, summarizer=summarizer)
        found.append(result.parts[0])
        kept = result.data
    return found


def summaries_of(part):
    return [m.text("text") for m in part.messages if m.origin == "summary"]


@pytest.mark.parametrize("strategy", ["rolling", "summarize", "handoff"])
def test_three_rounds_keep_one_summary_and_each_reaches_the_next(provider, compacting, strategy):
    provider.play(server.reply_with(saying_its_round))
    found = grow(compacting, (True, True, True), strategy)
    assert [part.summarizer for part in found] == ["llm"] * 3
    assert [len(summaries_of(part)) for part in found] == [1, 1, 1]
    assert [round_of(summaries_of(part)[0]) for part in found] == [1, 2, 3]
    first, second, third = (summaries_of(part)[0] for part in found)
    assert "At first" in first
    assert "Later" in second
    assert "In the end" in third
    assert "At first" not in third
    *_, last = provider.received
    (passed,) = earlier_summaries(last)
    assert "Later there was less to do." in passed
    assert "Session Summary" not in "".join(body for *_, body in shown_messages(last))
    assert all(part.tokens <= TARGET for part in found)


def test_the_ledger_adds_up_over_rounds_by_a_model(provider, compacting):
    provider.play(server.reply_with(saying_its_round))
    whole = api.load(jsonl(*work.session(15)), tokenizer="chars").transcripts[0]
    cut = split_session(whole, 3)
    offline = compact_rounds(cut, TARGET, format="openai-chat", strategy="rolling")
    check_rounds(offline, TARGET)
    by_model = grow(compacting, (True, True, True))
    stated = {(fact.section, fact.subject) for fact in facts_in(summaries_of(by_model[-1])[0])}
    changed = {
        ("Files", work.changed_file(number))
        for number in range(15)
        if work.changed_file(number) not in "\n".join(m.text() for m in by_model[-1].messages if m.origin != "summary")
    }
    assert len(changed) > 8
    assert changed <= stated


def test_a_round_offline_behind_a_round_by_the_model_keeps_what_it_said(provider, compacting):
    provider.play(server.reply_with(saying_its_round))
    found = grow(compacting, (True, False, False))
    first, second, third = (summaries_of(part)[0] for part in found)
    assert writer_of(first) == OPENAI
    assert (writer_of(second), writer_of(third)) == ("", "")
    assert "At first there was a lot to do." in second
    assert "At first there was a lot to do." in third
    assert [round_of(text) for text in (first, second, third)] == [1, 2, 3]


def test_a_round_by_the_model_behind_rounds_offline_is_given_what_they_say(provider, compacting):
    provider.play(server.reply_with(answer_request))
    found = grow(compacting, (False, False, True))
    texts = [summaries_of(part)[0] for part in found]
    assert [writer_of(text) for text in texts] == ["", "", OPENAI]
    (received,) = provider.received
    (passed,) = earlier_summaries(received)
    own = [line for line in texts[1].partition("\n### Lines of the session")[0].splitlines() if line.startswith("- ")]
    assert own
    assert all(line in passed for line in own)
    assert f"- {HONEST}" in texts[2]


def test_an_earlier_summary_alone_is_not_asked_about(well, compacting):
    first, _ = compacting(jsonl(*work.session(6)), target_tokens=6_000)
    well.received.clear()
    found, _ = compacting(first.data, target_tokens=5_000)
    for received in well.received:
        assert shown_messages(received)
    assert found.parts[0].tokens <= 5_000


def test_roles_and_turns_of_a_request_suit_the_most_particular_provider(well, compacting):
    compacting(SESSION, target_ratio=0.4, llm={"strict_roles": True})
    (received,) = well.received
    roles = [role for role, _ in turns(received)]
    assert roles[0] == "system"
    assert roles[1:] == ["user" if at % 2 == 0 else "assistant" for at in range(len(roles) - 1)]
    assert roles[-1] == "user"
