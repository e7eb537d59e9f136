"""Held-out figures: what profiles do on sessions that they were not learned on, and which are held out together."""

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
    """What was kept of the needs at one ratio, as `compactor evaluate` counts it: means over cases, 0 to 1."""

    ratio: float
    linked: float
    recall: float


class Figures(Struct, frozen=True):
    """How well one way of compacting does."""

    auc: float | None
    """How often a needed name was valued above another, the mean over the cases of learning; 0.5 is
    chance. None where nothing is learned, or no case tells."""
    cases: int
    """Cases of the measure behind `kept`; 0 when it was not run."""
    kept: tuple[KeptShares, ...]


class PartFigures(Struct, frozen=True):
    """Figures of one source, or of everything."""

    sessions: int
    rows: Mapping[str, Figures]
    """Row -> figures: `by_session` and `by_source` are strategy adaptive with weights learned on other
    sessions, and on other sources; the rest are methods that learn nothing."""


class HeldOut(Struct, frozen=True):
    whole: PartFigures
    sources: Mapping[str, PartFigures]
    folds: int
    """Of the sessions."""


class Measuring(Struct, frozen=True):
    """What the figures are made with."""

    fit: Callable[[Sequence[TrainingCase]], Weights]
    auc: Callable[[TrainingCase, Weights], float | None]
    method: Callable[[Weights], Method]
    """Strategy adaptive with a profile of these weights."""
    references: Sequence[Method]
    progress: Callable[[str], None] = lambda what: None
    """Called for every fit, and for every run of a method."""


class _Seen(Struct, frozen=True):
    """Means of some cases, and how many they are of."""

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
    """Learn without each fold, and test on it. `schemes` gives rows their folds: session -> fold.

    `prepared` are cases of the measure for the same sessions, by the same names.
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
    """Yield one run of the measure for each source, on the sessions with these names."""
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
    """Every case counts the same."""
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
    """Return session -> the fold that it is held out with; empty when there is nothing to hold out.

    Every source is spread over the folds. Sessions that open with the same request are on the same
    piece of work, or copies of one another: they stay together, or what is tested would have been seen.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for lesson in lessons:
        groups.setdefault((lesson.source, lesson.opening or lesson.name), []).append(lesson.name)
    order = sorted((source, _draw(min(names), seed), names) for (source, _), names in groups.items())
    return _dealt([names for _, _, names in order], count)


def folds_by_source(lessons: Sequence[Lesson], most: int, seed: int) -> dict[str, int]:
    """Return session -> fold, with each source in a fold of its own, or at most `most` folds of whole sources."""
    groups: dict[str, list[str]] = {}
    for lesson in lessons:
        groups.setdefault(lesson.source, []).append(lesson.name)
    order = sorted(groups, key=lambda source: (_draw(source, seed), source))
    return _dealt([groups[source] for source in order], most)


def _draw(name: str, seed: int) -> str:
    return sha256(f"{seed}:{name}".encode("utf-8", "replace")).hexdigest()


def _dealt(groups: Sequence[Sequence[str]], count: int) -> dict[str, int]:
    """Return the groups in turn to the folds; with one group there is nothing to learn on while it is held out."""
    if len(groups) < 2:
        return {}
    return {name: index % count for index, names in enumerate(groups) for name in names}
