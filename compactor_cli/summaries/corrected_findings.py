"""Statements of the agent and what it said later of the same: a finding that is corrected must not stay alone."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.summaries.facts import WHERE
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.summaries.needed_lines import needing
from compactor_cli.text.later_figures import later_on_figures


def with_corrections(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, of which no two say the same, where those of the agent need a later one that may correct them;
    that is worth as much then."""
    result = list(items)
    own = [at for at in sorted(range(len(items)), key=lambda at: items[at].order) if is_statement(items[at])]
    said = _in_turn([items[at] for at in own])
    for at, others in zip(own, later_on_figures(said), strict=True):
        if others:
            needing(result, at, [own[other] for other in others])
    return result


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said of its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def _in_turn(items: Sequence[SummaryItem]) -> list[tuple[int, str]]:
    """Return what was said, each with a number of its message; those of earlier rounds have theirs in the text."""
    said: list[tuple[int, str]] = []
    before: tuple[int, ...] | str = ""
    for item in items:
        text = WHERE.sub("", item.text)
        label = item.messages or item.text[len(text) :]
        number = said[-1][0] if said else 0
        said.append((number + (label != before), text))
        before = label
    return said
