"""Run the measure: every method compacts every front, and the remaining needs are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from compactor_cli.evaluation.retention.cases import Case, Prepared
from compactor_cli.evaluation.retention.comparison import CaseOutcome, Evaluation, Kind, method_difference, method_row
from compactor_cli.evaluation.retention.kept_references import need_survival
from compactor_cli.evaluation.retention.prefixes import front_target
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript


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
