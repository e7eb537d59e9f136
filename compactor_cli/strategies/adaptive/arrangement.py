"""Arranges chosen lines in time order: messages in place, and between them summaries that quote lines of the others.

A summary stands between two messages in place if it quotes enough to justify its heading. Otherwise the message after
it is quoted whole in it, in its place among the other lines, and the next gap is joined too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.plan import Decision, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.quoted_lines import MARK
from compactor_cli.strategies.shared.selection import ChosenLine

WORTHLESS = "none of its lines is worth its tokens"
"""Reason given for groups of which nothing is kept."""
_WORTH_A_HEADING = 120
"""Tokens of quoted lines that justify a separate summary, with its heading and its place in the conversation."""


class Attempt(Struct, frozen=True):
    """A plan with its counted tokens."""

    decisions: dict[int, Decision]
    slots: list[SummarySlot]
    tokens: int
    chosen: dict[int, list[ChosenLine]] = field(default_factory=dict)
    """Group -> the lines that were taken from it."""

    @property
    def says_base(self) -> bool:
        """Return whether a summary says what the transcript was compacted from."""
        return any(slot.based for slot in self.slots)


def quotes_all(attempt: Attempt, group: Group, lines: SessionLines) -> bool:
    """Return whether summaries quote all lines of a group."""
    quoted = {choice.line for choice in attempt.chosen.get(group.index, ())}
    return bool(quoted) and quoted.issuperset(n for i in group.messages for n in lines.of_message(i))


def with_the_rest(
    choices: list[ChosenLine], group: Group, lines: SessionLines, tokens: Callable[[int], int]
) -> list[ChosenLine]:
    """Return the chosen lines of a group together with all its other lines. `tokens`: returns the cost of a line."""
    known = {choice.line for choice in choices}
    added = (line for i in group.messages for line in lines.of_message(i) if line not in known)
    return [*choices, *(ChosenLine(line, 0.0, tokens(line)) for line in added)]


def misleads(index: int, inputs: PlanInput, decisions: Mapping[int, Decision]) -> bool:
    """Return whether keeping a group would mislead: an answer looks as if nobody replied to it, because the reply is
    gone, or calls look like what the user replies to, because the answer that they led to is gone."""

    def is_gone(group: Group) -> bool:
        return decisions[group.index].rendition == "gone"

    groups = inputs.groups
    calls = any(inputs.messages[i].calls for i in groups[index].messages)
    for at in range(index + 1, len(groups)):
        group, following = groups[at - 1], groups[at]
        if is_request(following, inputs.messages):
            if at - 1 > index:
                return calls and is_gone(group) and not is_gone(following)
            return not calls and is_gone(following)
    return False


class Stretch(Struct):
    """Groups that one summary covers, in order, and the tokens of the lines that it quotes."""

    groups: list[Group] = field(default_factory=list)
    tokens: int = 0
    before: list[Group] = field(default_factory=list)
    """Groups in place between the previous stretch and this one, if all of them may be quoted instead."""
    joins: bool = False
    """Whether it may be joined with the previous stretch."""
    gone: list[Group] = field(default_factory=list)
    """Groups before it of which nothing is kept. Its summary covers them, too."""


def arrange(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    movable: Callable[[Group], bool],
    quoted: Callable[[Group], int],
    extra: int = 0,
    *,
    needed: bool = False,
    worth: int = MARK,
) -> list[Stretch]:
    """Return the stretches that get a summary. Groups outside of them are in place, or gone.

    `in_place`: groups that would stay. `movable`: returns whether a group may be quoted instead. `quoted`: returns the
    tokens of the lines that a summary quotes of a group. `extra`: tokens of the last summary besides its lines.
    `needed`: there has to be a summary, however little it quotes. `worth`: minimum tokens of a summary."""
    stretches: list[Stretch] = []
    current = Stretch()
    for group in groups:
        tokens = quoted(group)
        if group.index not in in_place:
            current.groups.append(group)
            current.tokens += tokens
        elif not movable(group):
            _close(stretches, current, group)
            current = Stretch()
        elif current.tokens == 0:
            current.before.append(group)
        elif current.tokens < _WORTH_A_HEADING:
            current.groups.append(group)
            current.tokens += tokens
        else:
            _close(stretches, current, group)
            current = Stretch(before=[group], joins=True)
    _close(stretches, current)
    if stretches:
        stretches[-1].tokens += extra
    # a few words at the very end justify one: without them the request before would look unanswered
    last = groups[-1] if groups and quoted(groups[-1]) else None
    told: list[Stretch] = []
    gone: list[Group] = []
    for stretch in _joined(stretches, quoted):
        if stretch.tokens >= worth or stretch.groups[-1] is last:
            stretch.gone, gone = gone, []
            told.append(stretch)
        else:
            gone += (group for group in stretch.groups if group.index not in in_place)
    return told or (_first_gap(groups, in_place, movable, quoted) if needed else [])


def last_resort(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    movable: Callable[[Group], bool],
    quoted: Callable[[Group], int],
) -> list[Stretch]:
    """Return, as a stretch, the group cut in place with which a summary saves most. Used if there has to be a
    summary."""
    cut = (g for g in groups if g.index in in_place and in_place[g.index].rendition == "shortened")
    movable_cut = sorted((g for g in cut if movable(g) and quoted(g)), key=lambda g: g.tokens - quoted(g))
    return [Stretch([g], quoted(g)) for g in movable_cut[-1:]]


def _first_gap(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    movable: Callable[[Group], bool],
    quoted: Callable[[Group], int],
) -> list[Stretch]:
    """Return, as a stretch, the first messages that are gone, with a message right after or before them that may be
    quoted."""
    gone: list[Group] = []
    for index, group in enumerate(groups):
        if group.index in in_place or quoted(group):
            continue
        gone.append(group)
        if index + 1 < len(groups) and groups[index + 1].index not in in_place and not quoted(groups[index + 1]):
            continue
        beside = [groups[i] for i in (index + 1, gone[0].index - 1) if 0 <= i < len(groups)]
        neighbours = [g for g in beside if g.index in in_place and movable(g) and quoted(g)]
        if neighbours:
            return [Stretch(sorted([neighbours[0], *gone], key=lambda g: g.index), quoted(neighbours[0]))]
        gone.clear()
    return []


def _close(stretches: list[Stretch], stretch: Stretch, behind: Group | None = None) -> None:
    """End a stretch. Groups with a message after the group `behind`, which stays in place, have no place before it:
    they are dropped."""
    if behind is not None:
        stretch.groups = [g for g in stretch.groups if g.messages[-1] < behind.messages[0]]
    if stretch.groups:
        stretches.append(stretch)


def _joined(stretches: Sequence[Stretch], quoted: Callable[[Group], int]) -> Iterable[Stretch]:
    """Join each small stretch with the one before it if it may be joined."""
    joined: list[Stretch] = []
    for stretch in stretches:
        if joined and stretch.joins and stretch.tokens < MARK:
            last = joined[-1]
            last.groups = sorted([*last.groups, *stretch.before, *stretch.groups], key=lambda g: g.index)
            last.tokens += stretch.tokens + sum(map(quoted, stretch.before))
        else:
            joined.append(stretch)
    return joined


def summarized(group: Group, choices: Sequence[ChosenLine]) -> Decision:
    """Return the decision on a group that a summary covers, with the lines quoted from it."""
    if not choices:
        return Decision(group.index, "summarized", 0, WORTHLESS, value=0.0)
    reason = f"{len(choices)} line{'s' * (len(choices) > 1)} quoted, {sum(c.cost for c in choices):,} tokens"
    return Decision(group.index, "summarized", 0, reason, value=round(sum(c.value for c in choices), 3))
