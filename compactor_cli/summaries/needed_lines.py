"""Lines that mislead without others, such as a finding without what corrects it: they stand together or not at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from compactor_cli.summaries.facts import WHERE
from compactor_cli.summaries.items import WEIGHTS, SummaryItem
from compactor_cli.text.later_figures import later_on_figures


def needing(items: list[SummaryItem], at: int, others: Collection[int]) -> None:
    """Let the line at a place of a list need others of it, which are worth as much then."""
    worth = WEIGHTS[items[at].section] + items[at].bonus
    for other in others:
        least = worth - WEIGHTS[items[other].section]
        items[other] = replace(items[other], bonus=max(items[other].bonus, least))
    items[at] = replace(items[at], needs=(*items[at].needs, *(items[other].about for other in others)))


def needing_these(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, each of which needs none but those among them: another one stands elsewhere already, or is not
    to be told, and no line needs itself."""
    if not any(item.needs for item in items):
        return list(items)
    there = _places(items)
    result = []
    for at, item in enumerate(items):
        needs = tuple(about for about in item.needs if there.get(about, at) != at)
        result.append(item if needs == item.needs else replace(item, needs=needs))
    return result


def standing(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines without those of which what they need is not there."""
    there: list[SummaryItem] = []
    left = list(items)
    while len(left) != len(there):
        there = left
        abouts = _places(there)
        left = [item for item in there if all(about in abouts for about in item.needs)]
    return left


class NeededLines:
    """What each of some lines, no two of which say the same, stands together with."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        """Look up what the lines need."""
        there = _places(items) if any(item.needs for item in items) else {}
        self._needed = [[there[about] for about in item.needs if about in there] for item in items]

    def together(self, index: int, taken: Collection[int], most: int) -> list[int]:
        """Return the place of a line behind those of the lines that it needs, and of what these need, without those
        that are `taken`; none where they are more than `most`."""
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
    """Return where lines that others may need stand, by what they are about."""
    return {item.about: at for at, item in enumerate(items) if item.fact is None and not item.code}


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
