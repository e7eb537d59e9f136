"""Which rows are shown: by role, by what becomes of them, by tool, by decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from compactor_cli.browse.rows import FATES, BrowserRow
from compactor_cli.browse.view_state import Groups
from compactor_cli.model.decisions import Choice, Spot

KINDS = ("becomes", "role", "tool", "decision")
ROLES = ("system", "user", "harness", "assistant", "tool", "summary")
_CHOICES = {"keep": "kept", "drop": "dropped", None: ""}


class Mark(NamedTuple):
    """One thing that rows are chosen by."""

    kind: str
    """One of KINDS."""
    value: str


def marks_of(row: BrowserRow, choice: Choice | None) -> set[Mark]:
    """Return all that a row can be chosen by."""
    role = row.who if row.who in ROLES else "tool"
    marks = {Mark("becomes", row.fate), Mark("role", role), *(Mark("tool", tool) for tool in row.tools)}
    return marks | {Mark("decision", _CHOICES[choice])} if choice else marks


def chosen(
    rows: Sequence[BrowserRow], marks: Iterable[Mark], choices: Mapping[Spot, Choice], groups: Groups
) -> tuple[int, ...]:
    """Return places of the rows that have, of each kind that is asked for, one of the marks."""
    wanted: dict[str, set[Mark]] = {}
    for mark in marks:
        wanted.setdefault(mark.kind, set()).add(mark)
    if not wanted:
        return tuple(range(len(rows)))
    return tuple(
        index
        for index, row in enumerate(rows)
        if all(marks_of(row, _choice(row, choices, groups)) & kind for kind in wanted.values())
    )


def offered(rows: Sequence[BrowserRow], choices: Mapping[Spot, Choice], groups: Groups) -> list[tuple[Mark, int]]:
    """Return all marks that rows have, and how many rows have each, in the order of lists."""
    counts = Counter(mark for row in rows for mark in marks_of(row, _choice(row, choices, groups)))
    orders = {"becomes": FATES, "role": ROLES, "decision": ("kept", "dropped")}

    def order(mark: Mark) -> tuple[int, int, str]:
        known = orders.get(mark.kind, ())
        rank = known.index(mark.value) if mark.value in known else -counts[mark]
        return KINDS.index(mark.kind), rank, mark.value

    return [(mark, counts[mark]) for mark in sorted(counts, key=order) if mark.value]


def matches(rows: Sequence[BrowserRow], shown: Sequence[int], words: str) -> list[int]:
    """Return positions in what is shown whose messages hold the words, in any case."""
    wanted = words.lower()
    return [index for index, place in enumerate(shown) if rows[place].holds(wanted)] if wanted else []


def _choice(row: BrowserRow, choices: Mapping[Spot, Choice], groups: Groups) -> Choice | None:
    return groups.choice(choices, row.spot) if row.spot and choices else None
