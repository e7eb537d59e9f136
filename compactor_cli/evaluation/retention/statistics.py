"""Means with intervals. The one place of the core with chance in it: a generator with a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

RESAMPLES = 2000
_SEED = 20_260_301
_FEWEST = 3
"""Sessions below which resampling them says nothing."""


class MeanEstimate(Struct, frozen=True):
    """A mean over cases, and the interval that holds 95 percent of the means of resampled sessions.

    The bounds are None for fewer than three sessions.
    """

    mean: float
    low: float | None
    high: float | None


def estimate(values: Mapping[str, Sequence[float]]) -> MeanEstimate:
    """Return the mean of all values, of which there is at least one.

    They are given by session, because the cases of one session are alike: whole sessions are resampled.
    """
    sessions = [cases for _, cases in sorted(values.items())]
    sums = [(sum(cases), len(cases)) for cases in sessions]
    mean = sum(total for total, _ in sums) / sum(count for _, count in sums)
    if len(sums) < _FEWEST:
        return MeanEstimate(mean, None, None)
    means = sorted(
        sum(sums[index][0] for index in draw) / sum(sums[index][1] for index in draw)
        for draw in _draws(len(sums), RESAMPLES)
    )
    return MeanEstimate(mean, means[round(0.025 * (RESAMPLES - 1))], means[round(0.975 * (RESAMPLES - 1))])


@lru_cache(maxsize=4)
def _draws(size: int, count: int) -> list[list[int]]:
    """Return the same resamples for every row, so that rows can be compared."""
    generator = random.Random(_SEED)
    return [generator.choices(range(size), k=size) for _ in range(count)]
