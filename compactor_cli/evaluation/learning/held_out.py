"""Held-out figures: how profiles perform on sessions that they were not learned on, in folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.evaluation.learning.examples import Lesson, TrainingCase
from compactor_cli.evaluation.retention.cases import Prepared
from compactor_cli.evaluation.retention.measure import Method, evaluate

RATIOS = (0.1, 0.25)

Weights = Mapping[str, float]


class KeptShares(Struct, frozen=True):
    """The share of needs kept at one ratio, computed as in `compactor evaluate`: means over cases, from 0 to 1."""

    ratio: float
    linked: float
    recall: float


class Figures(Struct, frozen=True):
    """The performance of one way of compacting."""

    auc: float | None
    """How often a needed name was valued above another, averaged over the learning cases; 0.5 is chance. None if
    nothing is learned, or if no case is informative."""
    cases: int
    kept: tuple[KeptShares, ...]


class PartFigures(Struct, frozen=True):
    """Figures for one source, or for everything."""

    sessions: int
    rows: Mapping[str, Figures]
    """Row -> figures. `by_session` and `by_source`: strategy adaptive with weights learned on other sessions, or on
    other sources. The other rows are methods that learn nothing."""


class HeldOut(Struct, frozen=True):
    whole: PartFigures
    sources: Mapping[str, PartFigures]
    folds: int


class MeasureTools(Struct, frozen=True):
    """The functions used to compute the figures."""

    fit: Callable[[Sequence[TrainingCase]], Weights]
    auc: Callable[[TrainingCase, Weights], float | None]
    method: Callable[[Weights], Method]
    references: Sequence[Method]
    progress: Callable[[str], None] = lambda what: None


class _CaseMeans(Struct, frozen=True):
    """Means over some cases, and the number of cases."""

    source: str
    auc: tuple[float, ...]
    cases: int
    kept: tuple[KeptShares, ...]


def step_count(prepared: Prepared, schemes: Sequence[Mapping[str, int]], references: int) -> int:
    """Return how often `measure_held_out` calls `progress`."""
    runs = len(schemes) + references
    return sum(len(set(folds.values())) for folds in schemes) + runs * len(prepared.cases) * len(RATIOS)


def measure_held_out(
    lessons: Sequence[Lesson],
    cases: Sequence[TrainingCase],
    prepared: Prepared,
    schemes: Mapping[str, Mapping[str, int]],
    tools: MeasureTools,
) -> HeldOut:
    """Learn without each fold, and test on it. `schemes`: name of a row -> (session -> fold). `prepared`: the measure's
    cases for the same sessions, under the same names."""
    source_of = {lesson.name: lesson.source for lesson in lessons}
    results = {name: list(_scheme_figures(source_of, cases, prepared, folds, tools)) for name, folds in schemes.items()}
    for method in tools.references:
        results[method.name] = list(_measure_sources(source_of, prepared, set(source_of), method, tools))
    sources = {source: [lesson for lesson in lessons if lesson.source == source] for source in source_of.values()}
    return HeldOut(
        whole=_part_figures(len(lessons), results, sources),
        sources={
            source: _part_figures(len(source_sessions), results, (source,))
            for source, source_sessions in sorted(sources.items())
        },
        folds=len(set(next(iter(schemes.values())).values())),
    )


def _scheme_figures(
    source_of: Mapping[str, str],
    cases: Sequence[TrainingCase],
    prepared: Prepared,
    folds: Mapping[str, int],
    tools: MeasureTools,
) -> Iterable[_CaseMeans]:
    for fold in sorted(set(folds.values())):
        tools.progress("learning")
        weights = tools.fit([case for case in cases if folds[case.session] != fold])
        for case in cases:
            value = tools.auc(case, weights) if folds[case.session] == fold else None
            if value is not None:
                yield _CaseMeans(source_of[case.session], (value,), 0, ())
        fold_sessions = {name for name in source_of if folds[name] == fold}
        yield from _measure_sources(source_of, prepared, fold_sessions, tools.method(weights), tools)


def _measure_sources(
    source_of: Mapping[str, str], prepared: Prepared, names: set[str], method: Method, tools: MeasureTools
) -> Iterable[_CaseMeans]:
    """Yield the result of the measure for each source, using the sessions with these names."""
    for source in sorted({source_of[name] for name in names}):
        source_cases = tuple(c for c in prepared.cases if c.session in names and source_of[c.session] == source)
        if source_cases:
            result = evaluate(replace(prepared, cases=source_cases), [method], RATIOS, progress=tools.progress)
            kept_shares = tuple(KeptShares(row.ratio, row.linked.mean, row.recall.mean) for row in result.rows)
            yield _CaseMeans(source, (), len(source_cases), kept_shares)


def _part_figures(sessions: int, results: Mapping[str, Sequence[_CaseMeans]], sources: Iterable[str]) -> PartFigures:
    wanted_sources = set(sources)
    wanted = {name: [s for s in means if s.source in wanted_sources] for name, means in results.items()}
    return PartFigures(sessions, {name: _mean_figures(means) for name, means in wanted.items()})


def _mean_figures(means: Sequence[_CaseMeans]) -> Figures:
    """Return the means, with equal weight for every case."""
    aucs = [value for session in means for value in session.auc]
    count = sum(session.cases for session in means)
    kept_shares = tuple(
        KeptShares(
            ratio,
            sum(session.cases * session.kept[index].linked for session in means if session.cases) / count,
            sum(session.cases * session.kept[index].recall for session in means if session.cases) / count,
        )
        for index, ratio in enumerate(RATIOS if count else ())
    )
    return Figures(sum(aucs) / len(aucs) if aucs else None, count, kept_shares)


def folds_by_session(lessons: Sequence[Lesson], count: int, seed: int) -> dict[str, int]:
    """Return session -> fold in which it is held out; empty if there is nothing to hold out. Every source is spread
    over the folds. Sessions with the same first request are about the same task, or are copies. They stay together,
    because otherwise the test would include what was learned."""
    groups: dict[tuple[str, str], list[str]] = {}
    for lesson in lessons:
        groups.setdefault((lesson.source, lesson.opening or lesson.name), []).append(lesson.name)
    order = sorted((source, _draw(min(names), seed), names) for (source, _), names in groups.items())
    return _deal_folds([names for _, _, names in order], count)


def folds_by_source(lessons: Sequence[Lesson], max_folds: int, seed: int) -> dict[str, int]:
    """Return session -> fold, spreading whole sources over at most `max_folds` folds."""
    groups: dict[str, list[str]] = {}
    for lesson in lessons:
        groups.setdefault(lesson.source, []).append(lesson.name)
    order = sorted(groups, key=lambda source: (_draw(source, seed), source))
    return _deal_folds([groups[source] for source in order], max_folds)


def _draw(name: str, seed: int) -> str:
    return sha256(f"{seed}:{name}".encode("utf-8", "replace")).hexdigest()


def _deal_folds(groups: Sequence[Sequence[str]], count: int) -> dict[str, int]:
    """Return name -> fold, dealing the groups in turn; empty for a single group."""
    if len(groups) < 2:
        return {}
    return {name: index % count for index, names in enumerate(groups) for name in names}
