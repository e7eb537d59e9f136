"""Held-out figures: how profiles perform on sessions that they were not learned on, and how sessions are divided
into folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.evaluation.learning.examples import Lesson, TrainingCase
from compactor_cli.evaluation.retention.cases import Prepared
from compactor_cli.evaluation.retention.measure import Method, evaluate

RATIOS = (0.1, 0.25)
"""Shares that the sessions are compacted to."""

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
    """Number of cases of the measure behind `kept`; 0 if it was not run."""
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
    """Number of folds of the sessions."""


class Measuring(Struct, frozen=True):
    """The functions used to compute the figures."""

    fit: Callable[[Sequence[TrainingCase]], Weights]
    auc: Callable[[TrainingCase, Weights], float | None]
    method: Callable[[Weights], Method]
    """Returns strategy adaptive with a profile of these weights."""
    references: Sequence[Method]
    progress: Callable[[str], None] = lambda what: None
    """Called for every fit, and for every run of a method."""


class _Seen(Struct, frozen=True):
    """Means over some cases, and the number of cases."""

    source: str
    auc: tuple[float, ...]
    cases: int
    kept: tuple[KeptShares, ...]


def steps_of(prepared: Prepared, schemes: Sequence[Mapping[str, int]], references: int) -> int:
    """Return how often `held_out` calls `progress`."""
    runs = len(schemes) + references
    return sum(len(set(folds.values())) for folds in schemes) + runs * len(prepared.cases) * len(RATIOS)


def held_out(
    lessons: Sequence[Lesson],
    cases: Sequence[TrainingCase],
    prepared: Prepared,
    schemes: Mapping[str, Mapping[str, int]],
    tools: Measuring,
) -> HeldOut:
    """Learn without each fold, and test on it. `schemes`: name of a row -> (session -> fold).

    `prepared`: the measure's cases for the same sessions, under the same names.
    """
    source_of = {lesson.name: lesson.source for lesson in lessons}
    seen = {name: list(_scheme(source_of, cases, prepared, folds, tools)) for name, folds in schemes.items()}
    for method in tools.references:
        seen[method.name] = list(_measured(source_of, prepared, set(source_of), method, tools))
    sources = {source: [lesson for lesson in lessons if lesson.source == source] for source in source_of.values()}
    return HeldOut(
        whole=_part(len(lessons), seen, sources),
        sources={source: _part(len(own), seen, (source,)) for source, own in sorted(sources.items())},
        folds=len(set(next(iter(schemes.values())).values())),
    )


def _scheme(
    source_of: Mapping[str, str],
    cases: Sequence[TrainingCase],
    prepared: Prepared,
    folds: Mapping[str, int],
    tools: Measuring,
) -> Iterable[_Seen]:
    for fold in sorted(set(folds.values())):
        tools.progress("learning")
        weights = tools.fit([case for case in cases if folds[case.session] != fold])
        for case in cases:
            value = tools.auc(case, weights) if folds[case.session] == fold else None
            if value is not None:
                yield _Seen(source_of[case.session], (value,), 0, ())
        own = {name for name in source_of if folds[name] == fold}
        yield from _measured(source_of, prepared, own, tools.method(weights), tools)


def _measured(
    source_of: Mapping[str, str], prepared: Prepared, names: set[str], method: Method, tools: Measuring
) -> Iterable[_Seen]:
    """Yield the result of the measure for each source, using the sessions with these names."""
    for source in sorted({source_of[name] for name in names}):
        own = tuple(c for c in prepared.cases if c.session in names and source_of[c.session] == source)
        if own:
            result = evaluate(replace(prepared, cases=own), [method], RATIOS, progress=tools.progress)
            kept = tuple(KeptShares(row.ratio, row.linked.mean, row.recall.mean) for row in result.rows)
            yield _Seen(source, (), len(own), kept)


def _part(sessions: int, seen: Mapping[str, Sequence[_Seen]], sources: Iterable[str]) -> PartFigures:
    wanted = set(sources)
    return PartFigures(sessions, {name: _mean([s for s in all_ if s.source in wanted]) for name, all_ in seen.items()})


def _mean(seen: Sequence[_Seen]) -> Figures:
    """Return the means, with equal weight for every case."""
    aucs = [value for session in seen for value in session.auc]
    count = sum(session.cases for session in seen)
    kept = tuple(
        KeptShares(
            ratio,
            sum(session.cases * session.kept[index].linked for session in seen if session.cases) / count,
            sum(session.cases * session.kept[index].recall for session in seen if session.cases) / count,
        )
        for index, ratio in enumerate(RATIOS if count else ())
    )
    return Figures(sum(aucs) / len(aucs) if aucs else None, count, kept)


def folds_by_session(lessons: Sequence[Lesson], count: int, seed: int) -> dict[str, int]:
    """Return session -> fold in which it is held out; empty if there is nothing to hold out.

    Every source is spread over the folds. Sessions with the same first request are about the same task, or are
    copies. They stay together, because otherwise the test would include what was learned.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for lesson in lessons:
        groups.setdefault((lesson.source, lesson.opening or lesson.name), []).append(lesson.name)
    order = sorted((source, _draw(min(names), seed), names) for (source, _), names in groups.items())
    return _dealt([names for _, _, names in order], count)


def folds_by_source(lessons: Sequence[Lesson], most: int, seed: int) -> dict[str, int]:
    """Return session -> fold, with each source in a fold of its own, or with whole sources spread over at most
    `most` folds."""
    groups: dict[str, list[str]] = {}
    for lesson in lessons:
        groups.setdefault(lesson.source, []).append(lesson.name)
    order = sorted(groups, key=lambda source: (_draw(source, seed), source))
    return _dealt([groups[source] for source in order], most)


def _draw(name: str, seed: int) -> str:
    return sha256(f"{seed}:{name}".encode("utf-8", "replace")).hexdigest()


def _dealt(groups: Sequence[Sequence[str]], count: int) -> dict[str, int]:
    """Return name -> fold, dealing the groups to the folds in turn. Empty for a single group, since holding it out
    leaves nothing to learn from."""
    if len(groups) < 2:
        return {}
    return {name: index % count for index, names in enumerate(groups) for name in names}
