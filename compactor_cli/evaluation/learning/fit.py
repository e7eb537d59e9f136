"""Weights from examples: logistic regression with a penalty on large weights. The one place with numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from compactor_cli.errors import UsageError
from compactor_cli.evaluation.learning.examples import TrainingCase
from compactor_cli.features.name_features import weight_names

PENALTY = 10.0
"""Strength of the penalty on the squares of the weights, of standardized signals; what speaks against it is
the weight of the examples."""
DIGITS = 4
"""Decimals of a weight: a profile in a file is the profile that was measured."""
_SOURCE = 300.0
"""Weight of the names of a source of which all are needed. How sources are weighed was tried out: see
docs/decisions/0020-learned-profile.md."""
_BETWEEN = 0.3
"""What weighs the same in every source: all its names (0), its needed names (1), or something between."""
_FEW_CASES = 5.0
"""Cases up to which a source counts less: the other sources have more to say on what holds for all."""
_FEW_NEEDS = 50
"""Needed names up to which a case counts less: few labels say little."""
_STEADY = 1e-3
"""Standard deviation below which a signal is as good as constant and gets no weight."""
_ROUNDS = 60
_HALVINGS = 20


def load_numpy() -> Any:
    """numpy, or a UsageError that says how to get it."""
    try:
        import numpy
    except ImportError:
        raise UsageError("learning needs numpy: pip install 'compactor-cli[learn]'") from None
    return numpy


def fit(cases: Sequence[TrainingCase], sources: Mapping[str, str], *, penalty: float = PENALTY) -> dict[str, float]:
    """Return weights by name, rounded as files have them. `sources` gives the source of each session."""
    np = load_numpy()
    blocks = [
        (_rows(np, case), np.frombuffer(case.needed, dtype=np.uint8).astype(np.float64), share)
        for case, share in zip(cases, _shares(cases, sources), strict=True)
    ]
    own = _logistic(np, blocks, _standard(np, [rows for rows, _, _ in blocks]), penalty)
    return {name: round(float(value), DIGITS) + 0.0 for name, value in zip(weight_names(), own, strict=True)}


class Labelled(NamedTuple):
    """Rows of signals with the same label, without the one of the bias."""

    rows: Sequence[Sequence[float]]
    needed: bool
    weight: float
    """Of each row."""


def fit_rows(signals: Sequence[str], examples: Iterable[Labelled], *, penalty: float) -> dict[str, float]:
    """Return weights of a bias and of signals, rounded as files have them."""
    np = load_numpy()
    blocks = [
        (np.array([[1.0, *row] for row in each.rows]), np.full(len(each.rows), float(each.needed)), each.weight)
        for each in examples
        if each.rows
    ]
    own = _logistic(np, blocks, _standard(np, [rows for rows, _, _ in blocks]), penalty)
    return {name: round(float(value), DIGITS) + 0.0 for name, value in zip(["bias", *signals], own, strict=True)}


def auc(case: TrainingCase, weights: Mapping[str, float]) -> float | None:
    """Return how often a needed name gets a higher value than another one of its case; ties count half.

    0.5 is chance. None when all names are needed, or none is.
    """
    np = load_numpy()
    labels = np.frombuffer(case.needed, dtype=np.uint8).astype(bool)
    points = _rows(np, case) @ np.array([weights.get(name, 0.0) for name in weight_names()])
    needed, others = int(labels.sum()), int((~labels).sum())
    if not needed or not others:
        return None
    _, inverse, counts = np.unique(points, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[labels].sum() - needed * (needed + 1) / 2) / (needed * others))


def _rows(np: Any, case: TrainingCase) -> Any:
    return np.frombuffer(case.rows, dtype=np.float64).reshape(len(case.needed), len(weight_names()))


def _shares(cases: Sequence[TrainingCase], sources: Mapping[str, str]) -> list[float]:
    """Weight of one example of each case: every source weighs about the same, whatever its sessions and
    their length, unless it has few needed names."""
    raw = [1.0 / max(_FEW_NEEDS, case.needs) for case in cases]
    names: dict[str, float] = {}
    needs: dict[str, float] = {}
    for case, own in zip(cases, raw, strict=True):
        source = sources[case.session]
        names[source] = names.get(source, 0.0) + own * len(case.needed)
        needs[source] = needs.get(source, 0.0) + own * case.needs
    factors = {
        source: _SOURCE * min(1.0, needed / _FEW_CASES) * (names[source] / needed) ** _BETWEEN / names[source]
        for source, needed in needs.items()
        if needed
    }
    return [own * factors.get(sources[case.session], 0.0) for case, own in zip(cases, raw, strict=True)]


def _standard(np: Any, blocks: Sequence[Any]) -> Any:
    """Return the matrix that makes rows of signals into rows with mean 0 and deviation 1; the first column is all
    ones."""
    count = sum(len(rows) for rows in blocks)
    mean = sum(rows.sum(0) for rows in blocks) / count
    spread = np.sqrt(sum(((rows - mean) ** 2).sum(0) for rows in blocks) / count)
    spread[spread < _STEADY] = 1.0
    scale = np.diag(1.0 / spread)
    scale[0] = -mean / spread
    scale[0, 0] = 1.0
    return scale


def _logistic(np: Any, blocks: Sequence[tuple[Any, Any, float]], scale: Any, penalty: float) -> Any:
    """Find weights by Newton's method; steps that do not help are halved. The bias is not penalized."""
    ridge = np.full(len(scale), penalty)
    ridge[0] = 1e-6
    beta = np.zeros(len(scale))
    loss, slope, curve = _look(np, blocks, scale, ridge, beta)
    for _ in range(_ROUNDS):
        step = np.linalg.solve(curve, slope)
        for _ in range(_HALVINGS):
            new = _look(np, blocks, scale, ridge, beta - step)
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


def _look(
    np: Any, blocks: Sequence[tuple[Any, Any, float]], scale: Any, ridge: Any, beta: Any
) -> tuple[float, Any, Any]:
    """Return the loss at some weights of standardized signals, its slope and its curvature. Rows are read where they
    are."""
    own = scale @ beta
    loss, slope, curve = 0.0, np.zeros(len(beta)), np.zeros((len(beta), len(beta)))
    for rows, labels, share in blocks:
        points = np.clip(rows @ own, -30, 30)
        likely = 1 / (1 + np.exp(-points))
        loss += share * float((np.logaddexp(0.0, points) - labels * points).sum())
        slope += share * (rows.T @ (likely - labels))
        curve += share * ((rows * (likely * (1 - likely))[:, None]).T @ rows)
    loss += float((ridge * beta**2).sum()) / 2
    return loss, scale.T @ slope + ridge * beta, scale.T @ curve @ scale + np.diag(ridge)
