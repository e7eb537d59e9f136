"""Where chosen lines stand: messages at their place, and between them summaries that quote, in the order of time.

A summary stands between two messages that stay when it quotes enough to be worth its heading. Where it does not,
the message behind it is quoted whole in it, at its place among the other lines, and the next gap joins too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.group import Group, is_request
from compactor_cli.model.plan import Decision, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.quoted_lines import MARK
from compactor_cli.strategies.shared.selection import ChosenLine

WORTHLESS = "no line of it is worth its tokens"
"""Reason of groups of which nothing is kept."""
_WORTH_A_HEADING = 120
"""Tokens of quoted lines that are worth a summary of their own, its heading and its place in the conversation."""


class Attempt(Struct, frozen=True):
    """A plan that has been costed."""

    decisions: dict[int, Decision]
    slots: list[SummarySlot]
    tokens: int
    chosen: dict[int, list[ChosenLine]] = field(default_factory=dict)
    """Group -> the lines that were taken of it."""

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
    """Return lines of a group with all others of it. `tokens`: what a line costs."""
    known = {choice.line for choice in choices}
    added = (line for i in group.messages for line in lines.of_message(i) if line not in known)
    return [*choices, *(ChosenLine(line, 0.0, tokens(line)) for line in added)]


def misleads(index: int, inputs: PlanInput, decisions: Mapping[int, Decision]) -> bool:
    """Return whether a group would pass for what it is not: an answer for one that nobody replied to, as the reply is
    gone; calls for what the user replies to, as the answer that they led to is gone."""

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
    """Groups that one summary stands for, in order, and the tokens of the lines that it quotes."""

    groups: list[Group] = field(default_factory=list)
    tokens: int = 0
    before: list[Group] = field(default_factory=list)
    """Groups at their place between the stretch before it and this one, when all of them may be quoted instead."""
    joins: bool = False
    """It may be joined with the stretch before it."""
    gone: list[Group] = field(default_factory=list)
    """Groups before it of which nothing is kept: its summary says that it stands for them, too."""


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
    """Arrange the stretches that get a summary. Groups in none of them are at their place, or gone.

    `in_place`: groups that would stay. `movable`: whether one may be quoted instead. `quoted`: tokens of the lines
    that a summary quotes of a group. `extra`: tokens that the last summary has besides its lines. `needed`: there
    has to be one, however little it quotes. `worth`: tokens that are worth one.
    """
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
    # a few words of the very end are worth one: without them the request before would pass for one that is open
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
    """Return the group that is cut at its place and of which a summary saves most, where there has to be one."""
    cut = (g for g in groups if g.index in in_place and in_place[g.index].rendition == "shortened")
    movable_cut = sorted((g for g in cut if movable(g) and quoted(g)), key=lambda g: g.tokens - quoted(g))
    return [Stretch([g], quoted(g)) for g in movable_cut[-1:]]


def _first_gap(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    movable: Callable[[Group], bool],
    quoted: Callable[[Group], int],
) -> list[Stretch]:
    """Return the first messages that are gone, with a message right behind or before them that may be quoted."""
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
    """End a stretch. Groups with a message behind the one that stays next have no place before it: they are gone."""
    if behind is not None:
        stretch.groups = [g for g in stretch.groups if g.messages[-1] < behind.messages[0]]
    if stretch.groups:
        stretches.append(stretch)


def _joined(stretches: Sequence[Stretch], quoted: Callable[[Group], int]) -> Iterable[Stretch]:
    """Join a small stretch at the end of several with the one before it."""
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
    """Return the decision on a group of which a summary quotes these lines."""
    if not choices:
        return Decision(group.index, "summarized", 0, WORTHLESS, value=0.0)
    reason = f"{len(choices)} line{'s' * (len(choices) > 1)} quoted, {sum(c.cost for c in choices):,} tokens"
    return Decision(group.index, "summarized", 0, reason, value=round(sum(c.value for c in choices), 3))
