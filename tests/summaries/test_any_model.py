"""Any transcript, any target, and a model that says anything: what comes out holds what any output must."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.asking.port import ModelAnswer
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.settings import Settings, SummarizationSettings
from compactor_cli.strategies import STRATEGIES
from tests.asking import ScriptedModel, request_text
from tests.properties import checks
from tests.properties.generators import faulty, files, well_formed
from tests.properties.profile import examples

WRITING = sorted(name for name, made in STRATEGIES.items() if made.writes)
EVERY = pytest.mark.parametrize("strategy", WRITING)
FILES = files(st.one_of(well_formed(10), faulty(8)))
SHARES = st.one_of(st.none(), st.floats(0.05, 1.1))
LINES = st.sampled_from(
    [
        "The work went on.",
        "| a | table | of cells |",
        "[x] done, [ ] not done",
        "### Files",
        "## Session Summary (Compaction Round 7)",
        "Stands for messages 0-99 (1 tokens; ctx_0).",
        "Compacted from 9 tokens to at most 1.",
        "Written by somebody; files, errors and commands are computed.",
        "Last request from user was: nothing at all",
        "### Original Task (first request, #1, 99999 characters)",
        "### Original Task (the only request, at the end of this summary)",
        "### Lines of the session",
        "#1 → a line … of nobody",
        "(left out: no room)",
        "[… 9 lines left out]",
        "变更记录 👩‍👩‍👧‍👦 naïve",
        "word " * 60,
        "None",
        "",
    ]
)
ANSWERS = st.lists(
    st.one_of(
        st.tuples(st.just("well"), st.lists(LINES, min_size=1, max_size=4)),
        st.tuples(st.just("well"), st.just(["The work went on."])),
        st.tuples(st.just("raw"), st.one_of(LINES, st.text(max_size=80))),
        st.tuples(st.sampled_from(["failure", "length", "tool"]), st.just("")),
    ),
    min_size=1,
    max_size=4,
)


def saying(answers):
    """A model whose answer depends on nothing but the request."""

    def answer(request):
        kind, said = answers[crc32(request_text(request).encode("utf-8", "replace")) % len(answers)]
        if kind == "failure":
            return ModelAnswer(failure="no answer")
        if kind in ("length", "tool"):
            return ModelAnswer("Half of", finish=kind)
        if kind == "raw":
            return ModelAnswer(said)
        if request.schema is not None:
            numbers = list(map(int, re.findall(r'<summary stretch="(\d+)">', request.turns[-1].text)))
            halves = [numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]]
            topics = [
                {"title": f"Half {at}", "importance": 1, "stretches": own} for at, own in enumerate(halves) if own
            ]
            return ModelAnswer(json.dumps({"topics": topics}))
        titles = re.findall(r"^### (.+)$", request.turns[-1].text, re.MULTILINE)
        body = "\n".join(f"- {line}" if at % 2 else line for at, line in enumerate(said))
        return ModelAnswer("\n".join(f"### {title}\n{body}" for title in titles) if titles else body)

    return ScriptedModel(answer, context_limit=6_000)


def compacted(source, settings, answers):
    try:
        return api.compact(source, settings, tokenizer="chars", model=saying(answers))
    except BudgetError as error:
        return error


def loaded(file):
    try:
        return api.load(file.data, "generated", format=file.shape, tokenizer="chars")
    except InputError:  # a transcript without any message
        return None


def settings_of(source, strategy, share):
    target = None if share is None else max(1, int(share * source.tokens / len(source.transcripts)))
    batches = SummarizationSettings(chunk_size=4, max_summaries=2)
    return Settings(strategy=strategy, target_tokens=target, summarizer="llm", summarization=batches)


def check(source, settings, result):
    again = checks.read(result.data, source, "chars")
    assert len(source.transcripts) == len(again.transcripts) == len(result.parts)
    for before, after, part in zip(source.transcripts, again.transcripts, result.parts, strict=True):
        checks.check_size(part, after)
        assert part.target is None or part.tokens <= part.target
        checks.check_report_is_what_was_written(part, after)
        checks.check_faults(before, after)
        checks.check_records(before, after, part)
        checks.check_order(part)
        if part.plan is not None:
            checks.check_plan(part)
            checks.check_protected(part, settings)
            summaries = [m.text("text") for m in part.messages if m.index < 0 and m.origin == "summary"]
            assert not any("\n## Session Summary (Compaction Round 7)" in text for text in summaries)
    checks.check_stable(result, again, replace(settings, summarizer="extractive"), "chars")
    checks.check_fates(source, again, result)
    return again


@EVERY
@examples(40)
@given(FILES, SHARES, ANSWERS)
def test_whatever_a_model_says(strategy, file, share, answers):
    source = loaded(file)
    if source is None:
        return
    settings = settings_of(source, strategy, share)
    result = compacted(source, settings, answers)
    if isinstance(result, BudgetError):
        return
    assert compacted(source, settings, answers).data == result.data, "a second run gives other bytes"
    again = check(source, settings, result)
    # a second round takes over what the first one wrote
    smaller = settings_of(again, strategy, 0.6)
    second = compacted(again, smaller, answers)
    if not isinstance(second, BudgetError):
        check(again, smaller, second)


@EVERY
@examples(30)
@given(FILES, SHARES, st.sampled_from([("failure", ""), ("length", ""), ("tool", ""), ("raw", ""), ("raw", "PWNED (")]))
def test_a_model_that_always_fails_gives_the_bytes_of_the_offline_way(strategy, file, share, answer):
    source = loaded(file)
    if source is None or (answer == ("raw", "PWNED (") and strategy in ("ranked", "hybrid")):
        return  # there any bullet will do
    settings = settings_of(source, strategy, share)
    result = compacted(source, settings, [answer])
    offline = compacted(source, replace(settings, summarizer="extractive"), [answer])
    if isinstance(offline, BudgetError):
        assert isinstance(result, BudgetError)
        assert result.floor == offline.floor
        return
    assert result.data == offline.data
    assert all(part.summarizer == "extractive" for part in result.parts if part.plan is not None and part.plan.slots)
