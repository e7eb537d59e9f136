"""The Python API: the commands as functions over values."""

from __future__ import annotations

from typing import Any

import pytest

import compactor_cli
from compactor_cli import api
from compactor_cli.errors import BudgetError, InputError, SettingsError, UsageError
from compactor_cli.settings import Settings
from tests.pipeline.sessions import long_session, to_bytes


def test_the_package_offers_the_five_functions_sorted() -> None:
    assert compactor_cli.__all__ == sorted(compactor_cli.__all__)
    assert {"allocate", "compact", "diff", "load", "score"} <= set(compactor_cli.__all__)
    assert all(callable(getattr(compactor_cli, name)) for name in ("allocate", "compact", "diff", "load", "score"))


def test_the_example_of_seed_000_is_shared_out_with_what_the_package_offers() -> None:
    fixed = compactor_cli.FixedParts(system_prompt=500, agent_identity=200, task_prompt=150, actions=100, system_llm=50)
    budget = compactor_cli.allocate(4000, fixed, 400)
    assert (budget.residuals, budget.tiers) == (400, (1715, 490, 171, 73))
    assert (budget.remaining, budget.utilization_percent) == (101, 97.5)


def test_load_score_compact_and_diff_work_together() -> None:
    source = compactor_cli.load(to_bytes(long_session(40)), "session.jsonl")
    assert source.format == "openai-chat"
    (analysis,) = compactor_cli.score(source)
    assert len(analysis.scores) == source.message_count
    result = compactor_cli.compact(source, Settings(target_ratio=0.3))
    after = compactor_cli.load(result.data)
    assert after.tokens == result.parts[0].tokens <= 0.3 * source.tokens
    fate, survival = compactor_cli.diff(source, after)
    assert len(fate.kept) == result.parts[0].dispositions.kept
    assert [line.category for line in survival] == [
        "user_requests",
        "rules",
        "instructions",
        "corrections",
        "constraints",
        "decisions",
        "effects",
        "open_items",
        "errors",
        "files",
        "identifiers",
    ]


def test_a_transcript_compared_with_itself_lost_nothing() -> None:
    source = api.load(to_bytes(long_session(10)), tokenizer="chars")
    fate, survival = api.diff(source, source)
    assert len(fate.kept) == source.message_count
    assert (fate.shortened, fate.summarized, fate.dropped, fate.added) == ((), (), (), 0)
    assert all(line.percent == 100 and line.lost == () for line in survival)


def test_what_cannot_be_read_is_an_input_error_that_names_file_and_line() -> None:
    with pytest.raises(InputError, match=r"^broken\.jsonl:2: ") as caught:
        api.load(b'{"role":"user","content":"a"}\n{"role":\n{"role":"user","content":"b"}\n', "broken.jsonl")
    assert caught.value.exit_code == 3


def test_an_impossible_target_is_a_budget_error_with_its_parts() -> None:
    source = api.load(to_bytes(long_session(10)), tokenizer="chars")
    with pytest.raises(BudgetError) as caught:
        api.compact(source, Settings(target_tokens=1), tokenizer="chars")
    assert caught.value.exit_code == 4
    assert caught.value.items
    assert "Nothing was written" in str(caught.value)


@pytest.mark.parametrize(
    "settings", [Settings(keep=("(",)), Settings(strategy="none of them"), Settings(summarizer="none of them")]
)
def test_settings_that_cannot_be_used_are_usage_errors(settings: Settings) -> None:
    source = api.load(to_bytes(long_session(40)), tokenizer="chars")
    with pytest.raises(UsageError):
        api.compact(source, settings, tokenizer="chars")


def test_an_unknown_tokenizer_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="chars"):
        api.load(b'{"role":"user","content":"a"}', tokenizer="words")


def test_at_a_prompt_a_transcript_and_what_became_of_it_are_not_written_out():
    text = "a long line of the log of the nightly job"
    records = [{"role": "user", "content": f"{at}: {text}"} for at in range(200)]
    source = api.load(to_bytes(records), "s.jsonl", tokenizer="chars")
    (part,) = api.compact(source, Settings(target_ratio=0.5), tokenizer="chars").parts
    for value in (source, *source.transcripts, part.before):
        assert text not in repr(value)
        assert "path='s.jsonl'" in repr(value)
    assert text not in repr(part)[: repr(part).index("plan=")]


TEXT: Any = "abc"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target_tokens": float("nan")}, "target_tokens = nan: must be a whole number of at least 1"),
        ({"target_tokens": "4k"}, "target_tokens = '4k': must be a whole number"),
        ({"target_ratio": "25%"}, "target_ratio = '25%': must be a number from 0 to 1"),
        ({"target_ratio": -1}, "target_ratio = -1: must be a number from 0 to 1"),
        ({"target_tokens": 900, "target_ratio": 0.5}, "target_tokens and target_ratio exclude each other"),
        ({"settings": Settings(keep=TEXT)}, "keep = 'abc': must be a list of regular expressions"),
        ({"settings": Settings(recent_messages=-1, strategy="rolling")}, "recent_messages = -1: must be"),
        ({"settings": Settings(strategy="zz")}, "strategy = 'zz': must be one of"),
    ],
)
def test_values_are_checked_as_those_of_settings_files_are(options, words):
    with pytest.raises(SettingsError) as refused:
        compactor_cli.compact([{"role": "user", "content": "hi"}], **options)
    assert words in str(refused.value)


def test_what_a_list_may_stand_for_is_taken_and_what_is_none_is_refused():
    messages = [{"role": "user", "content": f"step {number} " + "and so on " * 40} for number in range(30)]
    done = compactor_cli.compact((message for message in messages), target_tokens=900, tokenizer="chars")
    assert done == compactor_cli.compact(messages, target_tokens=900, tokenizer="chars")
    assert len(done) < len(messages)
    others: list[Any] = [None, 5, "text", {"role": "user", "content": "hi"}]
    for wrong in others:
        with pytest.raises(InputError, match="not a list of messages"):
            compactor_cli.compact(wrong)
    with pytest.raises(InputError, match="give its bytes"):
        api.load(others[2])
