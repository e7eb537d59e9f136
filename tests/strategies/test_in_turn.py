"""A session that is compacted by one strategy and then by another: each reads what the other wrote."""

from __future__ import annotations

from functools import cache

import pytest

from compactor_cli.model.report import Compaction
from compactor_cli.pipeline.verify import faults
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summary_text.headers import round_of
from tests.pipeline.sessions import Json, compact, records_of, user
from tests.strategies import work

PAIRS = [(first, second) for first in sorted(STRATEGIES) for second in sorted(STRATEGIES)]


def grown(records: list[Json], start: int) -> list[Json]:
    """A session that goes on, with a new last request."""
    more = [record for number in range(start, start + 6) for record in work.task(number)]
    return [*records, *more, user(f"Step {start}, please."), *work.session(0)[-1:]]


@cache
def first_round(strategy: str, target: int) -> Compaction:
    return compact(work.session(8, end=False), strategy=strategy, target_tokens=target)


@pytest.mark.drawn(32)
@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("target", [2_500, 5_000])
def test_the_second_round_may_be_by_any_other_strategy(first: str, second: str, target: int) -> None:
    before = first_round(first, target)
    # the first round may have filled all of its target with what the second one keeps whole
    part = compact(grown(records_of(before), 8), strategy=second, target_tokens=target + 200)
    assert part.tokens <= target + 200
    assert not faults(part.messages, adjacent_results=True)
    assert part.round == 2
    said = "\n".join(m.text() for m in part.messages)
    for words in (work.SYSTEM, work.FIRST, "Step 8, please."):
        assert words in said, words
    assert said.count(work.FIRST) == 1, "the first request stands there once"
    for message in part.messages:
        if message.origin == "summary":
            text = message.text("text")
            heading, *lines = text.splitlines()
            assert heading.startswith(("## Session Summary", "[#"))
            assert not any(line.startswith(("## Session Summary", "[#")) for line in lines), "one in another"
            assert round_of(text) in (1, 2)


@pytest.mark.drawn(8)
@pytest.mark.parametrize("start", range(len(STRATEGIES)))
def test_all_of_them_one_after_the_other(start: int) -> None:
    names = sorted(STRATEGIES)
    records = work.session(8, end=False)
    for at in range(len(names)):
        part = compact(records, strategy=names[(start + at) % len(names)], target_tokens=4_000)
        assert part.tokens <= 4_000
        assert part.round == at + 1
        said = "\n".join(m.text() for m in part.messages)
        assert said.count(work.FIRST) == 1
        records = grown(records_of(part), 8 + 6 * at)
