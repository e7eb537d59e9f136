"""Which messages bypass compression: the threshold, and both caps."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.model.message import Message, Part, Role
from compactor_cli.model.score import Residuals, Score
from compactor_cli.pipeline.analysis import select_residuals
from tests.properties.profile import examples


def messages(*tokens: int, roles: str = "") -> list[Message]:
    named: dict[str, Role] = {"s": "system", "u": "user", "a": "assistant"}
    return [
        Message(i, f"m{i}", named[roles[i]] if roles else "user", (Part("text", "x", n),), (i,), n)
        for i, n in enumerate(tokens)
    ]


def select(
    points: Sequence[float], *, tokens: list[int] | None = None, total: int | None = None, **more: float
) -> Residuals:
    given = {"threshold": 60, "max_share": 0.20, **more}
    scores = [Score(max(0, min(100, p)), p) for p in points]
    return select_residuals(messages(*(tokens or [10] * len(points))), scores, total_tokens=total, **given)


def test_a_score_at_the_threshold_is_a_residual_and_one_below_is_not() -> None:
    found = select([60, 59, 0, 0, 0, 0, 0, 0, 0, 0])
    assert found.kept == {0}
    assert found.demoted == frozenset()


@pytest.mark.parametrize(("count", "limit"), [(1, 1), (4, 1), (5, 1), (6, 2), (10, 2), (11, 3), (50, 10)])
def test_at_most_a_fifth_of_the_messages_rounded_up(count: int, limit: int) -> None:
    found = select([100.0] * count)
    assert found.limit == limit == len(found.kept)
    assert len(found.demoted) == count - limit


def test_the_lowest_scores_are_demoted_first() -> None:
    found = select([70, 100, 60, 90, 65, 0, 0, 0, 0, 0])
    assert found.kept == {1, 3}
    assert found.demoted == {0, 2, 4}


def test_of_equal_scores_the_older_is_demoted() -> None:
    found = select([80, 80, 80, 0, 0, 0, 0, 0, 0, 0])
    assert found.kept == {1, 2}
    assert found.demoted == {0}


def test_raw_points_above_100_still_tell_apart() -> None:
    found = select([120, 105, 101, 0, 0])
    assert found.kept == {0}


def test_residuals_take_at_most_a_fifth_of_the_token_budget() -> None:
    found = select([90, 80, 70] + [0] * 12, tokens=[100, 100, 100] + [1] * 12, total=1000)
    assert found.kept == {0, 1}
    assert found.demoted == {2}


def test_the_token_cap_demotes_the_lowest_even_when_a_larger_one_is_in_the_way() -> None:
    found = select([90, 60, 70] + [0] * 12, tokens=[150, 10, 100] + [1] * 12, total=1000)
    assert found.kept == {0}


def test_without_a_token_budget_only_the_count_matters() -> None:
    assert select([90, 0, 0, 0, 0], tokens=[10**6, 1, 1, 1, 1]).kept == {0}


def test_a_system_message_is_never_a_residual() -> None:
    scores = [Score(100, 100), Score(100, 100)]
    found = select_residuals(messages(5, 5, roles="su"), scores, threshold=60, max_share=1.0)
    assert found.kept == {1}


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 150), st.integers(1, 500)), min_size=1, max_size=40), st.integers(0, 5000))
def test_both_caps_hold_for_any_scores(pairs: list[tuple[int, int]], total: int) -> None:
    points, tokens = [float(p) for p, _ in pairs], [t for _, t in pairs]
    found = select(points, tokens=tokens, total=total)
    assert len(found.kept) <= ceil(len(pairs) / 5)
    assert sum(tokens[i] for i in found.kept) <= total / 5
    assert found.kept | found.demoted == {i for i, p in enumerate(points) if p >= 60}
    if found.kept:
        worst = min((points[i], i) for i in found.kept)
        assert all((points[i], i) < worst for i in found.demoted)


def test_of_equal_scores_the_older_is_demoted_by_the_cap_in_tokens_too() -> None:
    found = select([80, 80, 80, 0, 0, 0, 0, 0, 0, 0], max_share=0.3, tokens=[10] * 10, total=70)
    assert found.kept == {1, 2}
    assert found.demoted == {0}
