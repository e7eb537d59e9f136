"""Choose which sessions are held out together: dealt out by a hash of their names, so the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from compactor_cli.evaluation.learning.examples import Lesson


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
