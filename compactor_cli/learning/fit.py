"""Weights from examples: logistic regression with a penalty on large weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compactor_cli.errors import UsageError
from compactor_cli.learning.examples import Case
from compactor_cli.signals.signals import weight_names

if TYPE_CHECKING:
    import numpy

PENALTY = 10.0
"""Strength of the penalty, in examples' weights; standardized signals."""
_ROUNDS = 30


def load_numpy() -> Any:
    """numpy, or a UsageError that says how to get it."""
    try:
        import numpy
    except ImportError:
        raise UsageError("learning needs numpy: pip install 'compactor_cli[learn]'") from None
    return numpy


def fit(cases: Sequence[Case], sources: Mapping[str, str], *, penalty: float = PENALTY) -> dict[str, float]:
    """Weights by name. Every source counts the same, whatever its sessions and their length; within it
    every case does."""
    np = load_numpy()
    rows = np.concatenate([np.asarray(case.rows, dtype=np.float64) for case in cases])
    labels = np.concatenate([np.asarray(case.needed, dtype=np.float64) for case in cases])
    weights = np.concatenate(_example_weights(np, cases, sources))
    return dict(zip(weight_names(), map(float, _logistic(np, rows, labels, weights, penalty)), strict=True))


def _example_weights(np: Any, cases: Sequence[Case], sources: Mapping[str, str]) -> list[numpy.ndarray]:
    """Weight of each example: 1,000 a source, shared out by cases; few needed names count less."""
    raw = [np.full(len(case.needed), 1.0 / max(50, sum(case.needed))) for case in cases]
    totals: dict[str, float] = {}
    for case, own in zip(cases, raw, strict=True):
        totals[sources[case.session]] = totals.get(sources[case.session], 0.0) + own.sum()
    return [own * (1_000 / totals[sources[case.session]]) for case, own in zip(cases, raw, strict=True)]


def _logistic(np: Any, rows: Any, labels: Any, weights: Any, penalty: float) -> Any:
    """Newton's method on standardized columns; the bias is not penalized."""
    mean, spread = rows.mean(0), rows.std(0)
    mean[0], spread[0] = 0.0, 1.0
    spread[spread < 1e-6] = 1.0
    scaled = (rows - mean) / spread
    beta = np.zeros(rows.shape[1])
    ridge = np.eye(len(beta)) * penalty
    ridge[0, 0] = 1e-6
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(scaled @ beta, -30, 30)))
        slope = scaled.T @ (weights * (likely - labels)) + ridge @ beta
        curve = (scaled * (weights * likely * (1 - likely))[:, None]).T @ scaled + ridge
        step = np.linalg.solve(curve, slope)
        beta -= step
        if abs(step).max() < 1e-7:
            break
    own = beta / spread
    own[0] = beta[0] - (beta[1:] * mean[1:] / spread[1:]).sum()
    return own
