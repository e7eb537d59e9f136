"""Means and their intervals."""

from __future__ import annotations

import pytest

from compactor_cli.evaluation.retention.statistics import estimate_mean

SESSIONS = {"a": [0.1, 0.3], "b": [0.5, 0.5], "c": [0.9], "d": [0.4, 0.6]}


def width(found):
    assert found.low is not None and found.high is not None
    return found.high - found.low


def test_the_mean_is_over_cases_and_the_interval_holds_it():
    found = estimate_mean(SESSIONS)
    assert found.mean == pytest.approx(sum(v for cases in SESSIONS.values() for v in cases) / 7)
    assert found.low is not None and found.high is not None
    assert found.low < found.mean < found.high
    assert found.low >= 0.1
    assert found.high <= 0.9


def test_it_is_the_same_in_every_run_and_in_every_order():
    assert estimate_mean(SESSIONS) == estimate_mean(dict(reversed(SESSIONS.items())))


def test_fewer_than_three_sessions_have_no_interval():
    found = estimate_mean({"a": [0.2, 0.4], "b": [0.6]})
    assert found.mean == pytest.approx(0.4)
    assert (found.low, found.high) == (None, None)


def test_equal_sessions_leave_no_doubt():
    found = estimate_mean({name: [0.5] for name in "abcdef"})
    assert (found.low, found.mean, found.high) == (0.5, 0.5, 0.5)


def test_cases_of_one_session_are_no_further_evidence():
    few = estimate_mean({"a": [0.0], "b": [0.5], "c": [1.0]})
    many = estimate_mean({"a": [0.0] * 50, "b": [0.5] * 50, "c": [1.0] * 50})
    assert (few.low, few.high) == (many.low, many.high)


def test_more_sessions_give_narrower_intervals():
    few = estimate_mean({str(n): [n % 2] for n in range(4)})
    many = estimate_mean({str(n): [n % 2] for n in range(100)})
    assert width(many) < width(few)
