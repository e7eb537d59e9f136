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
from compactor_cli.strategies.shared.quoted_lines import MIN_MARK_TOKENS
from compactor_cli.strategies.shared.selection import ChosenLine

WORTHLESS = "none of its lines is worth its tokens"
"""Reason given for groups of which nothing is kept."""
_MIN_HEADING_TOKENS = 120
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
        return any(slot.names_source for slot in self.slots)


def quotes_all(attempt: Attempt, group: Group, lines: SessionLines) -> bool:
    """Return whether summaries quote all lines of a group."""
    quoted = {choice.line for choice in attempt.chosen.get(group.index, ())}
    return bool(quoted) and quoted.issuperset(n for i in group.messages for n in lines.of_message(i))


def with_all_lines(
    choices: list[ChosenLine], group: Group, lines: SessionLines, line_tokens: Callable[[int], int]
) -> list[ChosenLine]:
    """Return the chosen lines of a group together with all its other lines. `line_tokens`: returns the cost of a
    line."""
    chosen_lines = {choice.line for choice in choices}
    added = (line for i in group.messages for line in lines.of_message(i) if line not in chosen_lines)
    return [*choices, *(ChosenLine(line, 0.0, line_tokens(line)) for line in added)]


def misleads(index: int, inputs: PlanInput, decisions: Mapping[int, Decision]) -> bool:
    """Return whether keeping a group would mislead: an answer looks as if nobody replied to it, because the reply is
    gone, or calls look like what the user replies to, because the answer that they led to is gone."""

    def is_gone(group: Group) -> bool:
        return decisions[group.index].rendition == "gone"

    groups = inputs.groups
    calls = any(inputs.messages[i].calls for i in groups[index].messages)
    for next_index in range(index + 1, len(groups)):
        group, following = groups[next_index - 1], groups[next_index]
        if is_request(following, inputs.messages):
            if next_index - 1 > index:
                return calls and is_gone(group) and not is_gone(following)
            return not calls and is_gone(following)
    return False


class Stretch(Struct):
    """Groups that one summary covers, in order, and the tokens of the lines that it quotes."""

    groups: list[Group] = field(default_factory=list)
    tokens: int = 0
    movable_before: list[Group] = field(default_factory=list)
    """Groups in place between the previous stretch and this one, if all of them may be quoted instead."""
    can_join: bool = False
    """Whether it may be joined with the previous stretch."""
    gone: list[Group] = field(default_factory=list)
    """Groups before it of which nothing is kept. Its summary covers them, too."""


def arrange(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    is_movable: Callable[[Group], bool],
    quoted_tokens: Callable[[Group], int],
    extra_tokens: int = 0,
    *,
    required: bool = False,
    min_tokens: int = MIN_MARK_TOKENS,
) -> list[Stretch]:
    """Return the stretches that get a summary. Groups outside of them are in place, or gone.

    `in_place`: groups that would stay. `is_movable`: returns whether a group may be quoted instead. `quoted_tokens`:
    returns the tokens of the lines that a summary quotes of a group. `extra_tokens`: tokens of the last summary besides
    its lines. `required`: there has to be a summary, however little it quotes. `min_tokens`: minimum tokens of one."""
    stretches: list[Stretch] = []
    current = Stretch()
    for group in groups:
        tokens = quoted_tokens(group)
        if group.index not in in_place:
            current.groups.append(group)
            current.tokens += tokens
        elif not is_movable(group):
            _end_stretch(stretches, current, group)
            current = Stretch()
        elif current.tokens == 0:
            current.movable_before.append(group)
        elif current.tokens < _MIN_HEADING_TOKENS:
            current.groups.append(group)
            current.tokens += tokens
        else:
            _end_stretch(stretches, current, group)
            current = Stretch(movable_before=[group], can_join=True)
    _end_stretch(stretches, current)
    if stretches:
        stretches[-1].tokens += extra_tokens
    # a few words at the very end justify one: without them the request before would look unanswered
    last_group = groups[-1] if groups and quoted_tokens(groups[-1]) else None
    kept_stretches: list[Stretch] = []
    gone_groups: list[Group] = []
    for stretch in _join_small(stretches, quoted_tokens):
        if stretch.tokens >= min_tokens or stretch.groups[-1] is last_group:
            stretch.gone, gone_groups = gone_groups, []
            kept_stretches.append(stretch)
        else:
            gone_groups += (group for group in stretch.groups if group.index not in in_place)
    return kept_stretches or (_first_gap(groups, in_place, is_movable, quoted_tokens) if required else [])


def last_resort(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    is_movable: Callable[[Group], bool],
    quoted_tokens: Callable[[Group], int],
) -> list[Stretch]:
    """Return, as a stretch, the group cut in place with which a summary saves most. Used if there has to be a
    summary."""
    cut_groups = (g for g in groups if g.index in in_place and in_place[g.index].rendition == "shortened")
    movable_cut = sorted(
        (g for g in cut_groups if is_movable(g) and quoted_tokens(g)), key=lambda g: g.tokens - quoted_tokens(g)
    )
    return [Stretch([g], quoted_tokens(g)) for g in movable_cut[-1:]]


def _first_gap(
    groups: Sequence[Group],
    in_place: Mapping[int, Decision],
    is_movable: Callable[[Group], bool],
    quoted_tokens: Callable[[Group], int],
) -> list[Stretch]:
    """Return, as a stretch, the first messages that are gone, with a message right after or before them that may be
    quoted."""
    gone_groups: list[Group] = []
    for index, group in enumerate(groups):
        if group.index in in_place or quoted_tokens(group):
            continue
        gone_groups.append(group)
        if index + 1 < len(groups) and groups[index + 1].index not in in_place and not quoted_tokens(groups[index + 1]):
            continue
        adjacent = [groups[i] for i in (index + 1, gone_groups[0].index - 1) if 0 <= i < len(groups)]
        neighbours = [g for g in adjacent if g.index in in_place and is_movable(g) and quoted_tokens(g)]
        if neighbours:
            return [Stretch(sorted([neighbours[0], *gone_groups], key=lambda g: g.index), quoted_tokens(neighbours[0]))]
        gone_groups.clear()
    return []


def _end_stretch(stretches: list[Stretch], stretch: Stretch, next_group: Group | None = None) -> None:
    """End a stretch. Groups with a message after `next_group`, which stays in place, have no place before it: they
    are dropped."""
    if next_group is not None:
        stretch.groups = [g for g in stretch.groups if g.messages[-1] < next_group.messages[0]]
    if stretch.groups:
        stretches.append(stretch)


def _join_small(stretches: Sequence[Stretch], quoted_tokens: Callable[[Group], int]) -> Iterable[Stretch]:
    """Join each small stretch with the one before it if it may be joined."""
    joined: list[Stretch] = []
    for stretch in stretches:
        if joined and stretch.can_join and stretch.tokens < MIN_MARK_TOKENS:
            previous = joined[-1]
            previous.groups = sorted(
                [*previous.groups, *stretch.movable_before, *stretch.groups], key=lambda g: g.index
            )
            previous.tokens += stretch.tokens + sum(map(quoted_tokens, stretch.movable_before))
        else:
            joined.append(stretch)
    return joined


def summarize_group(group: Group, choices: Sequence[ChosenLine]) -> Decision:
    """Return the decision on a group that a summary covers, with the lines quoted from it."""
    if not choices:
        return Decision(group.index, "summarized", 0, WORTHLESS, value=0.0)
    reason = f"{len(choices)} line{'s' * (len(choices) > 1)} quoted, {sum(c.cost for c in choices):,} tokens"
    return Decision(group.index, "summarized", 0, reason, value=round(sum(c.value for c in choices), 3))
