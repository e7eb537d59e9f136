"""What the computed state of a summary says is not said again: not under other headings, and not among the lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from compactor_cli.features.work.earlier_rounds import parse_file_line
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.summary_text.excerpts import OF_RESULT, Excerpt
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later

_MIN_SHARED_CHARS = 12
"""Minimum characters, without white space, of words that a line of the state has in common on purpose."""
_CAUSE = compiled_later(r" failed: (?P<cause>.+)\)$")
"""Ends the line of a call that failed, inside the parentheses around the tool's name."""


def not_in_state(items: Iterable[SummaryItem], state: Sequence[StateLine]) -> list[SummaryItem]:
    """Return the items without changed files, failing checks and errors that the state lists, and failed calls
    without a cause that the state or an error gives. A later round reads errors and checks that passed from here."""
    paths = {path for line in state if line.kind == "file" for path, _ in parse_file_line(line.text)}
    checks = [line.text.partition(": ")[2] for line in state if line.kind == "check" and line.open]
    failures = failures_in(state)
    stay = [
        item
        for item in items
        if not (_is_told_file(item, paths) or _is_check(item, checks) or _is_error(item, failures))
    ]
    failures += ["".join(item.text.split()) for item in stay if _is_failure(item)]
    return [_without_cause(item, failures) for item in stay]


def failures_in(state: Iterable[StateLine]) -> list[str]:
    """Return the lines of the state about failures, without white space, which varies in JSON."""
    return [
        "".join(line.text.split()) for line in state if line.kind == "error" or (line.kind == "check" and line.open)
    ]


def tells_failure(failures: Iterable[str], words: str) -> bool:
    """Return whether a failure, as returned by `failures_in`, contains these words, or their beginning if it is cut."""
    joined_words = "".join(words.split())
    return len(joined_words) >= _MIN_SHARED_CHARS and any(_contains(failure, joined_words) for failure in failures)


def _contains(failure: str, joined_words: str) -> bool:
    position = failure.find(joined_words[:_MIN_SHARED_CHARS])
    while position >= 0:
        if failure.startswith(joined_words, position):
            return True
        end = failure.find("…", position)
        if end >= position + _MIN_SHARED_CHARS and joined_words.startswith(failure[position:end]):
            return True
        position = failure.find(joined_words[:_MIN_SHARED_CHARS], position + 1)
    return False


def repeated_failures(
    lines: Sequence[Excerpt], items: Sequence[SummaryItem], state: Sequence[StateLine]
) -> Iterator[int]:
    """Yield the places of quoted lines of results that only repeat a failure of the state, or an error under a
    heading."""
    failures = [*failures_in(state), *_causes(items)]
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


def _is_told_file(item: SummaryItem, paths: Collection[str]) -> bool:
    return item.fact is not None and item.fact.is_among(paths)


def _is_check(item: SummaryItem, checks: Iterable[str]) -> bool:
    """Return whether an item is a command whose outcome the state tells."""
    if item.fact is None or item.section != "Commands":
        return False
    about = item.fact.subject
    return any(check == about or check.startswith((f"{about}: ", f"{about} (")) for check in checks)


def _is_error(item: SummaryItem, failures: Sequence[str]) -> bool:
    return _is_failure(item) and tells_failure(failures, item.text[1:].rpartition("`")[0].removesuffix("…"))


def _cause(item: SummaryItem) -> re.Match[str] | None:
    """Return why a call failed that the line of an item names."""
    return _CAUSE.search(item.text) if item.fact is None and item.section == "In progress" else None


def _causes(items: Iterable[SummaryItem]) -> list[str]:
    """Return the causes that items give, as `failures_in` returns the lines of the state."""
    return ["".join(match["cause"].split()) for match in map(_cause, items) if match]


def _without_cause(item: SummaryItem, failures: Sequence[str]) -> SummaryItem:
    """Return the line of a failed call without a cause that the state gives."""
    match = _cause(item)
    if match is None or not tells_failure(failures, match["cause"].removesuffix("…")):
        return item
    return replace(item, text=f"{item.text[: match.start()]} failed)")
