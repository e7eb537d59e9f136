"""Means with confidence intervals. The only use of randomness in the core, with a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

RESAMPLES = 2000
_SEED = 20_260_301
_MIN_SESSIONS = 3


class MeanEstimate(Struct, frozen=True):
    """A mean over cases, and the interval with 95 percent of the means of resampled sessions. The bounds are None for
    fewer than three sessions."""

    mean: float
    low: float | None
    high: float | None


def estimate_mean(values: Mapping[str, Sequence[float]]) -> MeanEstimate:
    """Return the mean of all values; there must be at least one. `values`: by session. Whole sessions are resampled,
    because the cases of one session are alike."""
    sessions = [cases for _, cases in sorted(values.items())]
    sums = [(sum(cases), len(cases)) for cases in sessions]
    mean = sum(total for total, _ in sums) / sum(count for _, count in sums)
    if len(sums) < _MIN_SESSIONS:
        return MeanEstimate(mean, None, None)
    draws = _resamples(len(sums), RESAMPLES)
    means = sorted(sum(sums[i][0] for i in draw) / sum(sums[i][1] for i in draw) for draw in draws)
    return MeanEstimate(mean, means[round(0.025 * (RESAMPLES - 1))], means[round(0.975 * (RESAMPLES - 1))])


@lru_cache(maxsize=4)
def _resamples(size: int, count: int) -> list[list[int]]:
    """Return the same resamples for every row, so that rows can be compared."""
    generator = random.Random(_SEED)
    return [generator.choices(range(size), k=size) for _ in range(count)]
