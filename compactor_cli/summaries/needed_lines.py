"""Lines that mislead without others, such as a finding without its correction: they are kept together or dropped."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from compactor_cli.summaries.items import WEIGHTS, SummaryItem


def needing(items: list[SummaryItem], at: int, others: Collection[int]) -> None:
    """Make one line of a list need others, which are then worth at least as much."""
    worth = WEIGHTS[items[at].section] + items[at].bonus
    for other in others:
        least = worth - WEIGHTS[items[other].section]
        items[other] = replace(items[other], bonus=max(items[other].bonus, least))
    items[at] = replace(items[at], needs=(*items[at].needs, *(items[other].about for other in others)))


def needing_these(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, needing only lines among them. A missing line is already somewhere else or must not be
    shown, and no line needs itself."""
    if not any(item.needs for item in items):
        return list(items)
    there = _places(items)
    result = []
    for at, item in enumerate(items):
        needs = tuple(about for about in item.needs if there.get(about, at) != at)
        result.append(item if needs == item.needs else replace(item, needs=needs))
    return result


def standing(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines without those that need a missing line."""
    there: list[SummaryItem] = []
    left = list(items)
    while len(left) != len(there):
        there = left
        abouts = _places(there)
        left = [item for item in there if all(about in abouts for about in item.needs)]
    return left


class NeededLines:
    """For a list of distinct lines, finds the lines that must be taken together."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        """Look up what the lines need."""
        there = _places(items) if any(item.needs for item in items) else {}
        self._needed = [[there[about] for about in item.needs if about in there] for item in items]

    def together(self, index: int, taken: Collection[int], most: int) -> list[int]:
        """Return the indices of the lines that a line needs, directly or indirectly, followed by its own. Lines in
        `taken` are left out. Empty if there are more than `most`."""
        group: dict[int, None] = {index: None}
        waiting = [index]
        while waiting:
            for other in self._needed[waiting.pop()]:
                if other not in group and other not in taken:
                    group[other] = None
                    waiting.append(other)
            if len(group) > most:
                return []
        return list(group)[::-1]


def _places(items: Sequence[SummaryItem]) -> dict[str, int]:
    """Return `about` -> index of the lines that others may need."""
    return {item.about: at for at, item in enumerate(items) if item.fact is None and not item.code}
