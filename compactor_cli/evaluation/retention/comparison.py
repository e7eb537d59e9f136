"""Aggregate the outcomes of single runs into the rows and differences of a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from compactor_cli.evaluation.retention.cases import Skipped
from compactor_cli.evaluation.retention.kept_references import NeedSurvival
from compactor_cli.evaluation.retention.statistics import MeanEstimate, estimate_mean

Kind = Literal["strategy", "against", "baseline"]


class CaseOutcome(Struct, frozen=True):
    """What one method achieved on one case at one ratio."""

    session: str
    survival: NeedSurvival
    size: float | None
    over: bool
    failure: str
    seconds: float


class MethodRow(Struct, frozen=True):
    """A method at a ratio, over all cases. Outputs over the target and failures count as 0."""

    method: str
    kind: Kind
    ratio: float
    linked: MeanEstimate
    recall: MeanEstimate
    old_half: float | None
    size: float | None
    over: int
    failed: int
    seconds: float
    failures: tuple[tuple[str, int], ...]


class Difference(Struct, frozen=True):
    """The first method minus another one, case by case."""

    ratio: float
    first: str
    other: str
    linked: MeanEstimate
    recall: MeanEstimate


class Evaluation(Struct, frozen=True):
    """The whole result; rows and differences are ordered by ratio and method."""

    sessions: int
    cases: int
    needs: int
    skipped: tuple[Skipped, ...]
    rows: tuple[MethodRow, ...]
    differences: tuple[Difference, ...]


def method_row(method: str, kind: Kind, ratio: float, outcomes: Sequence[CaseOutcome]) -> MethodRow:
    """Return the means of one method at one ratio."""
    old = [o.survival.old_half for o in outcomes if o.survival.old_half is not None]
    sizes = [o.size for o in outcomes if o.size is not None]
    return MethodRow(
        method=method,
        kind=kind,
        ratio=ratio,
        linked=estimate_mean(_by_session((o, o.survival.linked) for o in outcomes)),
        recall=estimate_mean(_by_session((o, o.survival.recall) for o in outcomes)),
        old_half=sum(old) / len(old) if old else None,
        size=sum(sizes) / len(sizes) if sizes else None,
        over=sum(o.over for o in outcomes),
        failed=sum(bool(o.failure) for o in outcomes),
        seconds=sum(o.seconds for o in outcomes) / len(outcomes),
        failures=tuple(Counter(o.failure for o in outcomes if o.failure).most_common()),
    )


def method_difference(
    ratio: float, first: tuple[str, Sequence[CaseOutcome]], other: tuple[str, Sequence[CaseOutcome]]
) -> Difference:
    """Return the mean difference between two methods, whose outcomes are in the same order of cases."""
    pairs = list(zip(first[1], other[1], strict=True))
    return Difference(
        ratio=ratio,
        first=first[0],
        other=other[0],
        linked=estimate_mean(_by_session((a, a.survival.linked - b.survival.linked) for a, b in pairs)),
        recall=estimate_mean(_by_session((a, a.survival.recall - b.survival.recall) for a, b in pairs)),
    )


def _by_session(values: Iterable[tuple[CaseOutcome, float]]) -> Mapping[str, Sequence[float]]:
    by_session: dict[str, list[float]] = defaultdict(list)
    for outcome, value in values:
        by_session[outcome.session].append(value)
    return by_session
