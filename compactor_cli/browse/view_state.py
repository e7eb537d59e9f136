"""A person's decisions so far, with undo and redo, and filters for rows: by role, fate, tool or decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.browse.rows import FATES, BrowserRow
from compactor_cli.model.decisions import Aim, Choice, MessageKey
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.decide import refusal
from compactor_cli.pipeline.groups import form_groups


class State(Struct, frozen=True):
    """The decisions, and the target and strategy that the session is to be compacted with."""

    aim: Aim = Aim()
    choices: Mapping[MessageKey, Choice] = {}

    def count(self, choice: Choice) -> int:
        return sum(decision == choice for decision in self.choices.values())


class Groups(Struct, frozen=True):
    """Which messages of a file belong together, and which cannot be dropped."""

    of: Mapping[MessageKey, tuple[MessageKey, ...]]
    refusals: Mapping[MessageKey, str]
    """Message -> why its group cannot be dropped."""

    def choice(self, choices: Mapping[MessageKey, Choice], spot: MessageKey) -> Choice | None:
        """Return the decision on a message, made on it or on another message of its group."""
        return next((choices[member] for member in self.of.get(spot, (spot,)) if member in choices), None)


def groups_of(source: Source) -> Groups:
    group_of: dict[MessageKey, tuple[MessageKey, ...]] = {}
    refusals: dict[MessageKey, str] = {}
    for conversation, transcript in enumerate(source.transcripts):
        for group in form_groups(transcript.messages):
            spots = tuple(MessageKey(conversation, i) for i in group.messages)
            group_of |= dict.fromkeys(spots, spots)
            reasons = [(i, why) for i in group.messages if (why := refusal(transcript.messages[i]))]
            if reasons:
                number, why = reasons[0]
                refusals |= dict.fromkeys(spots, f"message {number} {why}")
    return Groups(group_of, refusals)


def decide(state: State, groups: Groups, spot: MessageKey, choice: Choice) -> State:
    """Return the state with a decision; repeating it cancels it. In each group, the last decision counts."""
    before = groups.choice(state.choices, spot)
    choices = {
        member: decision for member, decision in state.choices.items() if member not in groups.of.get(spot, (spot,))
    }
    if before != choice:
        choices[spot] = choice
    return replace(state, choices=choices)


def decide_all(state: State, groups: Groups, spots: Iterable[MessageKey], choice: Choice) -> State:
    """Return the state with a decision on many messages; if all of them already have it, it is cancelled."""
    decidable = [spot for spot in spots if choice != "drop" or spot not in groups.refusals]
    todo = [spot for spot in decidable if groups.choice(state.choices, spot) != choice]
    choices = dict(state.choices)
    for spot in todo or decidable:
        group = groups.of.get(spot, (spot,))
        if todo and any(choices.get(member) == choice for member in group):
            continue  # another message of its group was just decided on
        for member in group:
            choices.pop(member, None)
        if todo:
            choices[spot] = choice
    return replace(state, choices=choices)


@dataclass(slots=True)
class History:
    """All states, and the position of the current one."""

    states: list[State]
    position: int = 0
    saved: State | None = None
    """The state stored in a file."""

    @property
    def now(self) -> State:
        return self.states[self.position]

    @property
    def is_saved(self) -> bool:
        """Return whether nothing would be lost."""
        return not self.now.choices if self.saved is None else self.now == self.saved

    def add(self, state: State) -> bool:
        """Move to a new state and discard states that could be redone. Return False if nothing changes."""
        if state == self.now:
            return False
        del self.states[self.position + 1 :]
        self.states.append(state)
        self.position += 1
        return True

    def undo(self) -> bool:
        """Undo the last change. Return False if there is none."""
        if not self.position:
            return False
        self.position -= 1
        return True

    def redo(self) -> bool:
        """Redo the last undone change. Return False if there is none."""
        if self.position + 1 >= len(self.states):
            return False
        self.position += 1
        return True


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
    return [i for i, row in enumerate(shown_rows) if rows[row].holds(folded_words)] if folded_words else []


def _choice(row: BrowserRow, choices: Mapping[MessageKey, Choice], groups: Groups) -> Choice | None:
    return groups.choice(choices, row.spot) if row.spot and choices else None
