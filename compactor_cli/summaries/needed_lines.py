"""Lines that mislead without others, such as a finding without its correction: they are kept together or dropped."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from compactor_cli.summaries.facts import MESSAGE_MARKS
from compactor_cli.summaries.items import WEIGHTS, SummaryItem
from compactor_cli.text.later_figures import later_on_figures


def with_corrections(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, no two of which say the same. A statement of the agent needs each later one that may correct
    it, and the later one is then worth as much."""
    result = list(items)
    indices = [i for i in sorted(range(len(items)), key=lambda i: items[i].order) if is_statement(items[i])]
    for i, others in enumerate(later_on_figures(_number_statements([items[i] for i in indices]))):
        if others:
            add_needs(result, indices[i], [indices[other] for other in others])
    return result


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said about its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def _number_statements(items: Sequence[SummaryItem]) -> list[tuple[int, str]]:
    """Return the statements, each with a running number for its message, which may be of an earlier round."""
    statements: list[tuple[int, str]] = []
    last_label: tuple[int, ...] | str = ""
    for item in items:
        text = MESSAGE_MARKS.sub("", item.text)
        label = item.messages or item.text[len(text) :]
        number = statements[-1][0] if statements else 0
        statements.append((number + (label != last_label), text))
        last_label = label
    return statements


def add_needs(items: list[SummaryItem], index: int, others: Collection[int]) -> None:
    """Make one line of a list need others, which are then worth at least as much."""
    value = WEIGHTS[items[index].section] + items[index].bonus
    for other in others:
        min_bonus = value - WEIGHTS[items[other].section]
        items[other] = replace(items[other], bonus=max(items[other].bonus, min_bonus))
    items[index] = replace(items[index], needs=(*items[index].needs, *(items[other].key for other in others)))


def restrict_needs(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, needing only other lines among them."""
    if not any(item.needs for item in items):
        return list(items)
    index_of = _index_by_key(items)
    result = []
    for index, item in enumerate(items):
        needs = tuple(key for key in item.needs if index_of.get(key, index) != index)
        result.append(item if needs == item.needs else replace(item, needs=needs))
    return result


def without_incomplete(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines without those that need a missing line."""
    candidates: list[SummaryItem] = []
    complete = list(items)
    while len(complete) != len(candidates):
        candidates = complete
        keys = _index_by_key(candidates)
        complete = [item for item in candidates if all(key in keys for key in item.needs)]
    return complete


class NeededLines:
    """For a list of distinct lines, finds the lines that must be taken together."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        """Look up what the lines need."""
        index_of = _index_by_key(items) if any(item.needs for item in items) else {}
        self._needed = [[index_of[key] for key in item.needs if key in index_of] for item in items]

    def required_group(self, index: int, taken: Collection[int], max_lines: int) -> list[int]:
        """Return the indices of the lines that a line needs, directly or indirectly, followed by its own. Lines in
        `taken` are left out. Empty if there are more than `max_lines`."""
        group: dict[int, None] = {index: None}
        pending = [index]
        while pending:
            for other in self._needed[pending.pop()]:
                if other not in group and other not in taken:
                    group[other] = None
                    pending.append(other)
            if len(group) > max_lines:
                return []
        return list(group)[::-1]


def _index_by_key(items: Sequence[SummaryItem]) -> dict[str, int]:
    """Return `key` -> index of the lines that others may need."""
    return {item.key: index for index, item in enumerate(items) if item.fact is None and not item.code}
