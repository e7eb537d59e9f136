"""Run the measure: every method compacts every front, the remaining needs are counted, and the outcomes become the rows
and differences of a report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from compactor_cli.evaluation.retention.cases import Case, Prepared, Skipped, front_target
from compactor_cli.evaluation.retention.future_references import NeedSurvival, need_survival
from compactor_cli.evaluation.retention.statistics import MeanEstimate, estimate_mean
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript

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


class NoOutputError(Exception):
    """A method produced nothing measurable; the text says why."""


class Method(Struct, frozen=True):
    """A way of making a front smaller: a row of the table. `compact` gets a front and a target in tokens. It returns
    the messages of its output, or raises NoOutputError."""

    name: str
    kind: Kind
    compact: Callable[[Transcript, int], Sequence[Message]]


def evaluate(
    prepared: Prepared,
    methods: Sequence[Method],
    ratios: Sequence[float],
    *,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[str], None] = lambda method: None,
    measured: Iterable[Sequence[CaseOutcome]] | None = None,
) -> Evaluation:
    """Run the methods on the cases at each ratio, and compare the first method with each of the others. `clock` returns
    seconds. `progress` is called once per run, that is, per case, ratio and method. `measured`: results of
    `measure_case` for the cases in order, if computed elsewhere."""
    if measured is None:
        measured = (measure_case(case, methods, ratios, clock=clock, progress=progress) for case in prepared.cases)
    outcomes: dict[tuple[float, str], list[CaseOutcome]] = {(r, m.name): [] for r in ratios for m in methods}
    for of_case in measured:
        for key, outcome in zip(outcomes, of_case, strict=True):
            outcomes[key].append(outcome)
    rows, differences = [], []
    for ratio in ratios if prepared.cases else ():
        first = methods[0].name
        rows += [method_row(m.name, m.kind, ratio, outcomes[ratio, m.name]) for m in methods]
        differences += [
            method_difference(ratio, (first, outcomes[ratio, first]), (m.name, outcomes[ratio, m.name]))
            for m in methods[1:]
        ]
    return Evaluation(
        sessions=len({case.session for case in prepared.cases}),
        cases=len(prepared.cases),
        needs=sum(len(case.needs) for case in prepared.cases),
        skipped=prepared.skipped,
        rows=tuple(rows),
        differences=tuple(differences),
    )


def measure_case(
    case: Case,
    methods: Sequence[Method],
    ratios: Sequence[float],
    *,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[str], None] = lambda method: None,
) -> list[CaseOutcome]:
    """Return the outcome of each method on a case, ratio by ratio."""
    outcomes = []
    for ratio in ratios:
        for method in methods:
            outcomes.append(_measure_method(case, method, front_target(case.front, ratio), clock))
            progress(method.name)
    return outcomes


def failed_outcomes(case: Case, failure: str, runs: int) -> list[CaseOutcome]:
    """Return the outcomes for a case that failed for this reason."""
    lost = need_survival(case.needs, case.front.messages, ())
    return [CaseOutcome(case.session, lost, None, False, failure, 0.0)] * runs


def _measure_method(case: Case, method: Method, target: int, clock: Callable[[], float]) -> CaseOutcome:
    begin, failure = clock(), ""
    output: Sequence[Message] = ()
    try:
        output = method.compact(case.front, target)
    except NoOutputError as error:
        failure = str(error)
    seconds = clock() - begin
    tokens = sum(message.tokens for message in output)
    is_over = tokens > target
    survived = need_survival(case.needs, case.front.messages, () if is_over else output)
    return CaseOutcome(case.session, survived, None if failure else tokens / target, is_over, failure, seconds)
