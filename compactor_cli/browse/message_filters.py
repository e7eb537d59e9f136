"""Filters for rows: by role, by fate, by tool, by decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from compactor_cli.browse.rows import FATES, BrowserRow
from compactor_cli.browse.view_state import Groups
from compactor_cli.model.decisions import Choice, MessageKey

KINDS = ("becomes", "role", "tool", "decision")
ROLES = ("system", "user", "harness", "assistant", "tool", "summary")
_CHOICES = {"keep": "kept", "drop": "dropped", None: ""}


class Mark(NamedTuple):
    """A property by which rows can be filtered."""

    kind: str
    value: str


def marks_of(row: BrowserRow, choice: Choice | None) -> set[Mark]:
    role = row.who if row.who in ROLES else "tool"
    marks = {Mark("becomes", row.fate), Mark("role", role), *(Mark("tool", tool) for tool in row.tools)}
    return marks | {Mark("decision", _CHOICES[choice])} if choice else marks


def filter_rows(
    rows: Sequence[BrowserRow], marks: Iterable[Mark], choices: Mapping[MessageKey, Choice], groups: Groups
) -> tuple[int, ...]:
    """Return the positions of rows that have, for each kind of mark requested, at least one of the marks."""
    marks_by_kind: dict[str, set[Mark]] = {}
    for mark in marks:
        marks_by_kind.setdefault(mark.kind, set()).add(mark)
    if not marks_by_kind:
        return tuple(range(len(rows)))
    return tuple(
        index
        for index, row in enumerate(rows)
        if all(marks_of(row, _choice(row, choices, groups)) & kind for kind in marks_by_kind.values())
    )


def count_marks(
    rows: Sequence[BrowserRow], choices: Mapping[MessageKey, Choice], groups: Groups
) -> list[tuple[Mark, int]]:
    """Return all marks that occur in rows, with the number of rows, in display order."""
    mark_counts = Counter(mark for row in rows for mark in marks_of(row, _choice(row, choices, groups)))
    orders = {"becomes": FATES, "role": ROLES, "decision": ("kept", "dropped")}

    def order(mark: Mark) -> tuple[int, int, str]:
        known_values = orders.get(mark.kind, ())
        rank = known_values.index(mark.value) if mark.value in known_values else -mark_counts[mark]
        return KINDS.index(mark.kind), rank, mark.value

    return [(mark, mark_counts[mark]) for mark in sorted(mark_counts, key=order) if mark.value]


def matching_rows(rows: Sequence[BrowserRow], shown_rows: Sequence[int], words: str) -> list[int]:
    """Return the positions, within the shown rows, of messages that contain the words in any case."""
    folded_words = words.lower()
    return (
        [index for index, row_index in enumerate(shown_rows) if rows[row_index].holds(folded_words)]
        if folded_words
        else []
    )


def _choice(row: BrowserRow, choices: Mapping[MessageKey, Choice], groups: Groups) -> Choice | None:
    return groups.choice(choices, row.spot) if row.spot and choices else None
