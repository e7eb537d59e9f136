"""Learn weights by logistic regression with a penalty on large weights. The only module that uses numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from compactor_cli.errors import UsageError
from compactor_cli.evaluation.learning.examples import TrainingCase
from compactor_cli.features.name_features import weight_names

PENALTY = 10.0
"""Strength of the penalty on squared weights of standardized signals, relative to the weights of the examples."""
DIGITS = 4
_SOURCE_WEIGHT = 300.0
"""Weight of a source's names if all of them are needed. docs/decisions/0020-learned-profile.md compares ways of
weighting sources."""
_SOURCE_EXPONENT = 0.3
"""What is weighted equally in every source: all its names (0), its needed names (1), or something between."""
_MIN_CASES = 5.0
"""Sources with fewer cases count less, since the other sources say more about what holds in general."""
_FEW_NEEDS = 50
_TOLERANCE = 1e-3
_MAX_ROUNDS = 60
_MAX_HALVINGS = 20


def load_numpy() -> Any:
    """Return numpy. Raises UsageError with instructions if it is not installed."""
    try:
        import numpy
    except ImportError:
        raise UsageError("learning needs numpy: pip install 'compactor-cli[learn]'") from None
    return numpy


def fit(cases: Sequence[TrainingCase], sources: Mapping[str, str], *, penalty: float = PENALTY) -> dict[str, float]:
    """Return the weights by name, rounded as in files. `sources`: session -> source."""
    np = load_numpy()
    blocks = [
        (_rows(np, case), np.frombuffer(case.needed, dtype=np.uint8).astype(np.float64), share)
        for case, share in zip(cases, _case_weights(cases, sources), strict=True)
    ]
    return _rounded_weights(np, weight_names(), blocks, penalty)


class Labelled(NamedTuple):
    """Rows of signals with the same label; the bias is not included."""

    rows: Sequence[Sequence[float]]
    needed: bool
    weight: float


def fit_rows(signals: Sequence[str], examples: Iterable[Labelled], *, penalty: float) -> dict[str, float]:
    """Return the weights of the bias and of signals, rounded as in files."""
    np = load_numpy()
    blocks = [
        (
            np.array([[1.0, *row] for row in example.rows]),
            np.full(len(example.rows), float(example.needed)),
            example.weight,
        )
        for example in examples
        if example.rows
    ]
    return _rounded_weights(np, ["bias", *signals], blocks, penalty)


def _rounded_weights(
    np: Any, names: Sequence[str], blocks: Sequence[tuple[Any, Any, float]], penalty: float
) -> dict[str, float]:
    solution = _logistic(np, blocks, _standardizer(np, [rows for rows, _, _ in blocks]), penalty)
    return {name: round(float(value), DIGITS) + 0.0 for name, value in zip(names, solution, strict=True)}


def auc(case: TrainingCase, weights: Mapping[str, float]) -> float | None:
    """Return how often a needed name has a higher value than another name of its case; ties count half. 0.5 is chance.
    None when all names are needed, or none is."""
    np = load_numpy()
    labels = np.frombuffer(case.needed, dtype=np.uint8).astype(bool)
    points = _rows(np, case) @ np.array([weights.get(name, 0.0) for name in weight_names()])
    needed, other_count = int(labels.sum()), int((~labels).sum())
    if not needed or not other_count:
        return None
    _, inverse, counts = np.unique(points, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[labels].sum() - needed * (needed + 1) / 2) / (needed * other_count))


def _rows(np: Any, case: TrainingCase) -> Any:
    return np.frombuffer(case.rows, dtype=np.float64).reshape(len(case.needed), len(weight_names()))


def _case_weights(cases: Sequence[TrainingCase], sources: Mapping[str, str]) -> list[float]:
    """Return the weight of one example for each case. All sources weigh about the same, except small ones."""
    raw = [1.0 / max(_FEW_NEEDS, case.needs) for case in cases]
    names: dict[str, float] = {}
    needs_by_source: dict[str, float] = {}
    for case, case_weight in zip(cases, raw, strict=True):
        source = sources[case.session]
        names[source] = names.get(source, 0.0) + case_weight * len(case.needed)
        needs_by_source[source] = needs_by_source.get(source, 0.0) + case_weight * case.needs
    factors = {
        source: _SOURCE_WEIGHT
        * min(1.0, needed / _MIN_CASES)
        * (names[source] / needed) ** _SOURCE_EXPONENT
        / names[source]
        for source, needed in needs_by_source.items()
        if needed
    }
    return [case_weight * factors.get(sources[case.session], 0.0) for case, case_weight in zip(cases, raw, strict=True)]


def _standardizer(np: Any, blocks: Sequence[Any]) -> Any:
    """Return the matrix that standardizes rows of signals to mean 0 and deviation 1; the first column is all ones."""
    count = sum(len(rows) for rows in blocks)
    mean = sum(rows.sum(0) for rows in blocks) / count
    spread = np.sqrt(sum(((rows - mean) ** 2).sum(0) for rows in blocks) / count)
    spread[spread < _TOLERANCE] = 1.0
    scale = np.diag(1.0 / spread)
    scale[0] = -mean / spread
    scale[0, 0] = 1.0
    return scale


def _logistic(np: Any, blocks: Sequence[tuple[Any, Any, float]], scale: Any, penalty: float) -> Any:
    """Find the weights by Newton's method, halving steps that do not help. The bias is not penalized."""
    ridge = np.full(len(scale), penalty)
    ridge[0] = 1e-6
    beta = np.zeros(len(scale))
    loss, slope, curve = _loss_terms(np, blocks, scale, ridge, beta)
    for _ in range(_MAX_ROUNDS):
        step = np.linalg.solve(curve, slope)
        for _ in range(_MAX_HALVINGS):
            new = _loss_terms(np, blocks, scale, ridge, beta - step)
            if new[0] <= loss:
                break
            step = step / 2
        else:
            break
        beta = beta - step
        loss, slope, curve = new
        if abs(step).max() < 1e-9:
            break
    return scale @ beta


def _loss_terms(
    np: Any, blocks: Sequence[tuple[Any, Any, float]], scale: Any, ridge: Any, beta: Any
) -> tuple[float, Any, Any]:
    """Return the loss for weights of standardized signals, its gradient and its Hessian."""
    raw_weights = scale @ beta
    loss, slope, curve = 0.0, np.zeros(len(beta)), np.zeros((len(beta), len(beta)))
    for rows, labels, share in blocks:
        points = np.clip(rows @ raw_weights, -30, 30)
        likely = 1 / (1 + np.exp(-points))
        loss += share * float((np.logaddexp(0.0, points) - labels * points).sum())
        slope += share * (rows.T @ (likely - labels))
        curve += share * ((rows * (likely * (1 - likely))[:, None]).T @ rows)
    loss += float((ridge * beta**2).sum()) / 2
    return loss, scale.T @ slope + ridge * beta, scale.T @ curve @ scale + np.diag(ridge)
