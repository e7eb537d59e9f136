"""What a compaction costs: linear in the messages, counted in calls of functions, so that no clock is asked."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.summaries.snippets import last_changes
from tests.cost import count_calls
from tests.drawing import is_drawing
from tests.pipeline.sessions import Json, assistant, compact, filler, load, result, user

STRATEGIES = ("tiered", "rolling", "ranked", "hybrid", "summarize", "truncate", "handoff", "adaptive")


def work(exchanges: int) -> list[Json]:
    records = [user("Please add up the totals of all parts.")]
    for n in range(exchanges):
        records += [user(f"Go on with part {n}."), *filler(n, 20), assistant(f"Part {n} has the total {n * 7}.")]
    return records


@pytest.mark.drawn(16)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("ratio", [None, 0.3])
def test_four_times_the_messages_cost_about_four_times_as_much(strategy: str, ratio: float | None) -> None:
    settings = api.Settings(strategy=strategy, target_ratio=ratio)
    exchanges = 50 if is_drawing() else 100
    small, large = load(work(exchanges)), load(work(4 * exchanges))
    api.compact(small, settings, tokenizer="chars")  # what is loaded once
    few = count_calls(lambda: api.compact(small, settings, tokenizer="chars"))
    many = count_calls(lambda: api.compact(large, settings, tokenizer="chars"))
    assert many < 6 * few


def edits(number: int) -> list[Json]:
    records: list[Json] = [user("Please set all totals.")]
    for n in range(number):
        edit = (f"edit_{n}", "Edit", {"path": f"sums/part{n}.py", "old": "total = 0", "new": f"total = {n * 7}"})
        records += [assistant(None, edit), result(f"edit_{n}")]
    return records


def test_what_last_changed_each_file_is_found_in_one_pass() -> None:
    few, many = (load(edits(number)).transcripts[0].messages for number in (100, 400))
    last_changes(few)  # what is loaded once
    assert count_calls(lambda: last_changes(many)) < 5 * count_calls(lambda: last_changes(few))


def thousand() -> list[Json]:
    """1,000 messages of 5,200 tokens: 3 words and what a message costs."""
    return [(user, assistant)[n % 2](f"Row {n:03} has it." if n % 5 else f"Row {n:03} is full.") for n in range(1000)]


@pytest.mark.parametrize("target", [None, 1_600])
def test_a_thousand_messages_of_5200_tokens_become_1600_with_tiers_in_order(target: int | None) -> None:
    part = compact(thousand(), strategy="tiered", target_tokens=target)
    assert 4_700 <= part.before.tokens <= 6_200
    assert part.tokens <= (target or 1_600)
    left = [line.tokens_after / line.tokens_before for line in part.tiers]
    assert left[0] == 1.0
    assert left == sorted(left, reverse=True)
