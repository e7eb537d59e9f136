"""Statements of the agent and what it said later of the same: a finding that is corrected must not stay alone."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compactor_cli.summaries.facts import WHERE
from compactor_cli.summaries.items import WEIGHTS, SummaryItem
from compactor_cli.text.later_figures import later_on_figures


def with_corrections(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, where those of the agent need a later one that may correct them; that is worth as much then."""
    result = list(items)
    own = [at for at, item in enumerate(items) if is_statement(item)]
    said = _in_turn([items[at] for at in own])
    for at, others in zip(own, later_on_figures(said), strict=True):
        needed = [own[other] for other in others]
        worth = WEIGHTS[result[at].section] + result[at].bonus
        for other in needed:
            least = worth - WEIGHTS[result[other].section]
            result[other] = replace(result[other], bonus=max(result[other].bonus, least))
        result[at] = replace(result[at], needs=tuple(items[other].text for other in needed))
    return result


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said of its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def standing(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines without those of which what they need is not there."""
    there: list[SummaryItem] = []
    left = list(items)
    while len(left) != len(there):
        there = left
        texts = {item.text for item in there}
        left = [item for item in there if texts.issuperset(item.needs)]
    return left


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
