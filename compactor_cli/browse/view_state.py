"""What a person has decided so far, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.decisions import Aim, Choice, Spot
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.decide import refusal
from compactor_cli.pipeline.groups import form_groups


class State(Struct, frozen=True):
    """Decisions, and what the session is to be compacted to."""

    aim: Aim = Aim()
    choices: Mapping[Spot, Choice] = {}

    def count(self, choice: Choice) -> int:
        return sum(own == choice for own in self.choices.values())


class Groups(Struct, frozen=True):
    """Which messages of a file belong together, and which cannot be dropped."""

    of: Mapping[Spot, tuple[Spot, ...]]
    refusals: Mapping[Spot, str]
    """Message -> why its group cannot be dropped."""

    def choice(self, choices: Mapping[Spot, Choice], spot: Spot) -> Choice | None:
        """Return what is decided of a message, by a decision on it or on another one of its group."""
        return next((choices[member] for member in self.of.get(spot, (spot,)) if member in choices), None)


def groups_of(source: Source) -> Groups:
    """Return the groups of a file as it is."""
    of: dict[Spot, tuple[Spot, ...]] = {}
    refusals: dict[Spot, str] = {}
    for conversation, transcript in enumerate(source.transcripts):
        for group in form_groups(transcript.messages):
            spots = tuple(Spot(conversation, i) for i in group.messages)
            of |= dict.fromkeys(spots, spots)
            reasons = [(i, why) for i in group.messages if (why := refusal(transcript.messages[i]))]
            if reasons:
                number, why = reasons[0]
                refusals |= dict.fromkeys(spots, f"message {number} {why}")
    return Groups(of, refusals)


def decided(state: State, groups: Groups, spot: Spot, choice: Choice) -> State:
    """Return the state with a decision on a message; the same one again takes it back. Of a group the last one
    holds."""
    before = groups.choice(state.choices, spot)
    choices = {member: own for member, own in state.choices.items() if member not in groups.of.get(spot, (spot,))}
    if before != choice:
        choices[spot] = choice
    return replace(state, choices=choices)


def decided_all(state: State, groups: Groups, spots: Iterable[Spot], choice: Choice) -> State:
    """Return the state with a decision on many messages; where all of them have it already, it is taken back."""
    wanted = [spot for spot in spots if choice != "drop" or spot not in groups.refusals]
    todo = [spot for spot in wanted if groups.choice(state.choices, spot) != choice]
    choices = dict(state.choices)
    for spot in todo or wanted:
        group = groups.of.get(spot, (spot,))
        if todo and any(choices.get(member) == choice for member in group):
            continue  # another one of its group has just been decided on
        for member in group:
            choices.pop(member, None)
        if todo:
            choices[spot] = choice
    return replace(state, choices=choices)


@dataclass(slots=True)
class History:
    """All states, and which of them is the present one."""

    states: list[State]
    position: int = 0
    saved: State | None = None
    """The state that a file has."""

    @property
    def now(self) -> State:
        return self.states[self.position]

    @property
    def is_saved(self) -> bool:
        """Return whether nothing would be lost."""
        return not self.now.choices if self.saved is None else self.now == self.saved

    def add(self, state: State) -> bool:
        """Go on to a state; what had been taken back is forgotten. False where nothing changes."""
        if state == self.now:
            return False
        del self.states[self.position + 1 :]
        self.states.append(state)
        self.position += 1
        return True

    def undo(self) -> bool:
        """Go back by one change; False where there is none."""
        if not self.position:
            return False
        self.position -= 1
        return True

    def redo(self) -> bool:
        """Make the change again that was taken back last; False where there is none."""
        if self.position + 1 >= len(self.states):
            return False
        self.position += 1
        return True
