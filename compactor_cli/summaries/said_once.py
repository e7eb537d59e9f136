"""What the computed state of a summary says is not said again: not under other headings, and not among the lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from compactor_cli.features.work.earlier_rounds import parse_file_line
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.summary_text.excerpts import OF_RESULT, Excerpt
from compactor_cli.summary_text.state_line import StateLine, tells

_MIN_SHARED_CHARS = 12
"""Minimum characters, without white space, of words that a line of the state has in common on purpose."""


def not_in_state(items: Iterable[SummaryItem], state: Sequence[StateLine]) -> list[SummaryItem]:
    """Return the items without changed files, failing checks and errors that the state lists."""
    paths = {path for line in state if line.kind == "file" for path, _ in parse_file_line(line.text)}
    checks = [line.text.partition(": ")[2] for line in state if line.kind == "check" and line.open]
    failures = failures_in(state)
    return [item for item in items if not _is_told(item, paths, checks, failures)]


def _is_told(item: SummaryItem, paths: Collection[str], checks: Iterable[str], failures: Sequence[str]) -> bool:
    if item.fact is not None and item.section == "Commands":
        about = item.fact.subject
        return any(check == about or check.startswith((f"{about}: ", f"{about} (")) for check in checks)
    if _is_failure(item):
        return tells_failure(failures, item.text[1:].rpartition("`")[0].removesuffix("…"))
    return item.fact is not None and item.fact.is_among(paths)


def failures_in(state: Iterable[StateLine]) -> list[str]:
    """Return the lines of the state about failures."""
    return [line.text for line in state if line.kind == "error" or (line.kind == "check" and line.open)]


def tells_failure(failures: Iterable[str], words: str) -> bool:
    """Return whether a failure, as returned by `failures_in`, contains these words."""
    return any(tells(failure, words) for failure in failures)


def repeated_failures(
    lines: Sequence[Excerpt], items: Sequence[SummaryItem], state: Sequence[StateLine]
) -> Iterator[int]:
    """Yield the places of quoted results that only repeat a failure of the state or under a heading."""
    failures = failures_in(state)
    errors = {" ".join(item.text.partition("`")[2].rpartition("`")[0].split()) for item in items if _is_failure(item)}
    starts = [place for place, line in enumerate(lines) if line.joint != "same"]
    for start, end in pairwise([*starts, len(lines)]):
        if lines[start].heading.endswith(OF_RESULT):
            text = "".join(line.text for line in lines[start:end])
            long = [words for line in text.split("\n") if len(words := " ".join(line.split())) >= _MIN_SHARED_CHARS]
            if long and all(words in errors or tells_failure(failures, words) for words in long):
                yield from range(start, end)


def _is_failure(item: SummaryItem) -> bool:
    return item.section == "Errors" and item.text.startswith("`")
