"""What must stay, at any price that the budget can pay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compactor_cli.errors import BudgetError
from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import (
    CLOSING,
    DECIDED,
    EARLIER_HISTORY,
    FIRST_REQUEST,
    IN_FLIGHT,
    LAST_REQUEST,
    NEWEST,
    PlanInput,
)
from compactor_cli.strategies.shared.renditions import Renderer

HELD_BACK = 120
"""Tokens kept for a summary whenever something has to go: it says what it stands for, and what the
transcript was compacted from."""
REQUESTS = (FIRST_REQUEST, LAST_REQUEST)
"""Reasons of groups that hold the requests which a session begins and ends with."""
_ENCLOSED_SHARE = 0.1
"""Share of the room that what a harness put beside a request may take where not all of it has room."""
_SOFT = (IN_FLIGHT, NEWEST, EARLIER_HISTORY)
"""Kept, but cut before the user's requests and the system messages are."""


def keep_protected(
    given: PlanInput, renderer: Renderer, groups: Sequence[Group], target: int, without: frozenset[int] = frozenset()
) -> list[Decision]:
    """Protected groups, whole where the target allows it, and whole in any case where a person decided so; the caller
    sees to those in `without`.

    Raises BudgetError when nothing valid fits.
    """
    groups = [g for g in groups if g.index not in without]
    fixed = [renderer.whole(g, DECIDED) for g in groups if given.protected[g.index] == DECIDED]
    left = target - sum(d.tokens for d in fixed)
    soft = [g for g in groups if given.protected[g.index] in _SOFT]
    hard = [g for g in groups if given.protected[g.index] not in (*_SOFT, DECIDED)]
    others = len(given.groups) > len(groups)
    for firm in _firm(given, renderer, hard, left, others=others):
        room = left - sum(d.tokens for d in firm)
        # what can be cut leaves half of the room to the rest of the session when it can
        kept = renderer.fit(soft, room // 2, "", prose=True) or renderer.fit(soft, room, "", prose=True)
        if kept is not None:
            return [*fixed, *_reasoned(given, [*kept, *firm])]
    # the user's own words, last of all
    kept = renderer.smallest(soft, "", prose=True)
    room = left - sum(d.tokens for d in kept)
    # as they have to be cut anyway, they also make room for a word on what is gone
    cut = renderer.fit(hard, room - HELD_BACK, "", prose=True) if others else None
    cut = cut or renderer.fit(hard, room, "", prose=True)
    if cut is None:
        raise _too_small(given, target, [*fixed, *kept, *renderer.smallest(hard, "", prose=True)])
    return [*fixed, *_reasoned(given, [*kept, *cut])]


def _firm(
    given: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int, *, others: bool
) -> Iterator[list[Decision]]:
    """What is cut last: whole; then without most of what stands beside a request, such as the files it names. Where
    `others` need it, the system messages leave them half of the room: a harness sends its own instructions again, and
    the session stands nowhere else."""
    whole = {g.index: renderer.whole(g, "") for g in hard}
    system = [g for g in hard if all(given.messages[i].role == "system" for i in g.messages)]
    size = sum(g.tokens for g in system)
    most = max(room // 2, room - (sum(g.tokens for g in given.groups) - size))
    if others and size > most:
        whole |= {d.group: d for d in renderer.fit(system, most, "", prose=True) or ()}
    yield list(whole.values())
    enclosed = _enclosed(given, renderer, hard, int(_ENCLOSED_SHARE * room))
    if enclosed:
        yield list((whole | enclosed).values())


def _enclosed(given: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int) -> dict[int, Decision]:
    """The requests, and what a harness put beside them cut to `room` tokens, or as far as it can be."""
    both = [g for g in hard if {given.messages[i].origin for i in g.messages} == {"request", "injected"}]
    asked = frozenset(i for g in both for i in g.messages if given.messages[i].origin == "request")
    said = sum(given.messages[i].tokens for i in asked)
    cut = renderer.fit(both, said + room, "", prose=True, spare=asked)
    return {d.group: d for d in cut or renderer.smallest(both, "", prose=True, spare=asked)}


def _reasoned(given: PlanInput, decisions: Sequence[Decision]) -> list[Decision]:
    return [d._replace(reason=given.protected[d.group]) for d in decisions]


def without_closing(given: PlanInput, renderer: Renderer, decisions: Mapping[int, Decision]) -> dict[int, Decision]:
    """The decision that the assistant turn which closes a history goes, when no tool result stands before it any more;
    empty otherwise."""
    last = given.groups[-1]
    if given.protected.get(last.index) != CLOSING:
        return {}
    kept = [g.messages[-1] for g in given.groups[:-1] if decisions[g.index].tokens]
    if kept and given.messages[max(kept)].results:
        return {}
    return {last.index: renderer.removed(last, "no tool result stands before it", summarized=False)}


def _too_small(given: PlanInput, target: int, smallest: list[Decision]) -> BudgetError:
    items: dict[str, int] = {}
    for decision in sorted(smallest, key=lambda d: d.group):
        why = given.protected[decision.group]
        items[why] = items.get(why, 0) + decision.tokens
    return BudgetError(target, sum(items.values()), tuple(items.items()))
