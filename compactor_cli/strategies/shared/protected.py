"""What must stay, at any price that the budget can pay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compactor_cli.errors import BudgetError
from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_account
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.model.planning import (
    DECIDED,
    EARLIER_HISTORY,
    FIRST_REQUEST,
    IN_FLIGHT,
    LAST_REQUEST,
    NEWEST,
    PlanInput,
)
from compactor_cli.strategies.shared.renditions import Cut, Renderer
from compactor_cli.strategies.shared.requests import HEADING
from compactor_cli.strategies.shared.rooms import LARGE_REQUEST, account_share
from compactor_cli.summary_text.reading import earlier_words
from compactor_cli.text.gap_marks import GAP_MARK

HELD_BACK = 120
"""Tokens kept for a summary whenever something has to go: it says what it stands for, and what the
transcript was compacted from."""
REQUESTS = (FIRST_REQUEST, LAST_REQUEST)
"""Reasons of groups that hold the requests which a session begins and ends with."""
_SESSION_SHARE = 0.08
"""Share of the session's own tokens up to which system messages make room for it: a target of a tenth of the session
beside them leaves them whole. Of a target that is a ratio, more."""
_LEAST_OF_SESSION = 120
"""Tokens of a session, or all of a smaller one, that they make room for in any case: less is not a word of what was
done, and what was asked would pass for something that nobody began."""
_ENCLOSED_SHARE = 0.1
"""Share of the room that what a harness put beside a request may take where not all of it has room."""
_SOFT = (IN_FLIGHT, NEWEST, EARLIER_HISTORY)
"""Kept, but cut before the user's requests and the system messages are."""
_NEWEST_SHARE, _SHARE = 0.7, 0.3
"""Shares of the room for pictures of the newest request, which asks of them, and for those of the first one: what they
were looked at for has been said since."""


def keep_protected(
    inputs: PlanInput, renderer: Renderer, groups: Sequence[Group], target: int, without: frozenset[int] = frozenset()
) -> list[Decision]:
    """Keep protected groups, whole where the target allows it, and whole in any case where a person decided so; the
    caller sees to those in `without`.

    Raises BudgetError when nothing valid fits.
    """
    groups = [g for g in groups if g.index not in without]
    fixed = [Decision.whole(g, DECIDED) for g in groups if inputs.protected[g.index] == DECIDED]
    tokens_left = target - sum(d.tokens for d in fixed)
    soft = [g for g in groups if inputs.protected[g.index] in _SOFT]
    hard = [g for g in groups if inputs.protected[g.index] not in (*_SOFT, DECIDED)]
    others = len(inputs.groups) > len(groups)
    for decisions in _firm(inputs, renderer, hard, tokens_left, others=others):
        firm = _without_large_pictures(inputs, renderer, decisions, tokens_left) if others else decisions
        room = tokens_left - sum(d.tokens for d in firm)
        kept = _fit_soft(inputs, renderer, soft, room, others=others)
        if kept is not None:
            return [*fixed, *_reasoned(inputs, [*kept, *firm])]
    # the user's own words, last of all
    kept = renderer.smallest(soft, "", prose=True)
    room = tokens_left - sum(d.tokens for d in kept)
    # as they have to be cut anyway, they also make room for a word on what is gone
    cut = renderer.fit(hard, room - HELD_BACK, "", prose=True) if others else None
    cut = cut or renderer.fit(hard, room, "", prose=True)
    if cut is None:
        raise _too_small(inputs, target, [*fixed, *kept, *renderer.smallest(hard, "", prose=True)])
    return [*fixed, *_reasoned(inputs, [*kept, *cut])]


def _firm(
    inputs: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int, *, others: bool
) -> Iterator[list[Decision]]:
    """Yield what is cut last: whole; then with less of the system messages; then without most of what stands beside a
    request, such as the files it names.

    Where the target would leave less than a share of the session to `others`, or too little to say anything in, system
    messages make room for it, with half of theirs at most: without it nobody could go on from the output. A ratio asks
    all to shrink: the smaller it is, the nearer this share comes to it. Those that are cut anyway also leave its room
    to what the user typed: a harness says the same with every call, while this was said once.
    """
    whole = {g.index: Decision.whole(g, "") for g in hard}
    system = [g for g in hard if _is_system(inputs, g)]
    size = sum(g.tokens for g in system)
    # what earlier rounds took away counts: a prompt that they cut is to make as much room as a whole one, and is no
    # whole one for having room as it is
    session = max(sum(g.tokens for g in inputs.groups), inputs.whole) - size
    ratio = inputs.settings.target_ratio or 0.0
    share = max(_SESSION_SHARE, ratio * max(0.5, 1 - ratio))
    least = max(int(share * session), min(session, _LEAST_OF_SESSION))
    was_cut = any(GAP_MARK.search(inputs.messages[i].text("text")) for g in system for i in g.messages)
    for needed in dict.fromkeys((least, session)):
        if others and (was_cut or size > max(room // 2, room - needed)):
            typed = room_for_typed(inputs, room)
            most = max((room - typed) // 2, room - min(session, max(needed, typed + needed // 2)))
            if size > most:
                whole |= {d.group: d for d in renderer.fit(system, most, "", prose=True) or ()}
        yield list(whole.values())
    enclosed = _enclosed(inputs, renderer, hard, int(_ENCLOSED_SHARE * room))
    if enclosed:
        yield list((whole | enclosed).values())


def _fit_soft(
    inputs: PlanInput, renderer: Renderer, soft: Sequence[Group], room: int, *, others: bool
) -> list[Decision] | None:
    """Fit what is cut first into a room: it leaves half of that to the rest of the session when it can, and what an
    agent had written of its session, besides what the user asked, more of it."""
    accounts = [g for g in soft if others and inputs.protected[g.index] == EARLIER_HISTORY]
    used = 0
    told: list[Decision] = []
    for group in accounts:
        cut = renderer.fit([group], min(room // 2, _room_for_account(inputs, renderer, group, room)), "", prose=True)
        if cut is None:
            break
        told += cut
        used += cut[0].tokens
    else:
        rest = [g for g in soft if g not in accounts]
        for most in (room // 2, room):
            kept = renderer.fit(rest, most - used, "", prose=True)
            if kept is not None:
                return [*told, *kept]
    return renderer.fit(soft, room, "", prose=True)


def _room_for_account(inputs: PlanInput, renderer: Renderer, group: Group, room: int) -> int:
    """Return the tokens of a room for what an agent had written of its session: what the user asked and ruled, as far
    as what was typed since leaves room for it, and a share for the rest. All of it for what others wrote."""
    messages = [inputs.messages[i] for i in group.messages]
    accounts = [(m, part) for m in messages for part in m.parts if part.kind == "text" and is_account(part.text)]
    if not accounts:
        return room
    asked = sum(inputs.count(renderer.account(message, part).asked()) for message, part in accounts)
    share = account_share(inputs.messages, messages[-1].index)
    return min(asked, int(LARGE_REQUEST * room) - room_for_typed(inputs, room)) + int(share * room)


def room_for_typed(inputs: PlanInput, room: int) -> int:
    """Return the tokens of a room that what the user typed has before system messages that have to be cut: of all of
    it, what earlier summaries quote included, up to the share of it that it always has."""
    typed = [p.tokens for m in inputs.messages if m.origin == "request" for p in m.parts if not p.images]
    texts = (part.text for m in inputs.messages if m.origin == "summary" for part in m.parts)
    quoted = [inputs.count(words.text) for text in texts for words in earlier_words(text, "user")]
    return min(sum(typed + quoted) + HEADING * len(typed + quoted), int(LARGE_REQUEST * room))


def is_cut_system(inputs: PlanInput, decision: Decision) -> bool:
    """Return whether system messages stay in part only."""
    return decision.rendition != "whole" and _is_system(inputs, inputs.groups[decision.group])


def _without_large_pictures(
    inputs: PlanInput, renderer: Renderer, decisions: Sequence[Decision], room: int
) -> list[Decision]:
    """Return what is cut last with marks for pictures that would take more of the room than their share: of what
    system messages leave."""
    hard = [inputs.groups[d.group] for d in decisions]
    left = room - sum(d.tokens for d, g in zip(decisions, hard, strict=True) if _is_system(inputs, g))
    session = sum(g.tokens for g in inputs.groups if not _is_system(inputs, g))
    marks = marks_of_pictures(inputs, renderer, hard, left, session)
    return [with_marks(renderer, d, marks.get(d.group, ())) for d in decisions]


def _is_system(inputs: PlanInput, group: Group) -> bool:
    return all(inputs.messages[i].role == "system" for i in group.messages)


def _enclosed(inputs: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int) -> dict[int, Decision]:
    """Return the requests, and what a harness put beside them cut to `room` tokens, or as far as it can be."""
    mixed = [g for g in hard if {inputs.messages[i].origin for i in g.messages} == {"request", "injected"}]
    requests = frozenset(i for g in mixed for i in g.messages if inputs.messages[i].origin == "request")
    request_tokens = sum(inputs.messages[i].tokens for i in requests)
    cut = renderer.fit(mixed, request_tokens + room, "", prose=True, spare=requests)
    return {d.group: d for d in cut or renderer.smallest(mixed, "", prose=True, spare=requests)}


def _reasoned(inputs: PlanInput, decisions: Sequence[Decision]) -> list[Decision]:
    return [d._replace(reason=inputs.protected[d.group]) for d in decisions]


def _too_small(inputs: PlanInput, target: int, smallest: list[Decision]) -> BudgetError:
    items: dict[str, int] = {}
    for decision in sorted(smallest, key=lambda d: d.group):
        reason = inputs.protected[decision.group]
        items[reason] = items.get(reason, 0) + decision.tokens
    return BudgetError(target, sum(items.values()), tuple(items.items()))


def marks_of_pictures(
    inputs: PlanInput, renderer: Renderer, groups: Iterable[Group], room: int, words: int
) -> dict[int, list[Edit]]:
    """Return of the requests among some groups the marks for pictures that have no room in their share of it. They may
    take more where half of all else has room beside them. `words`: tokens of all of it, pictures included."""
    asking = [g for g in groups if inputs.protected[g.index] in (FIRST_REQUEST, LAST_REQUEST)]
    # the last request may not be among them: what it says may be repeated in a summary
    newest = max((index for index, reason in inputs.protected.items() if reason in REQUESTS), default=-1)
    marks = {group.index: renderer.shortened(group, Cut(images=True), "").edits[::-1] for group in asking}
    words -= sum(_tokens(renderer, edit) for edits in marks.values() for edit in edits)
    beside, left_out = room - words / 2, {}
    for index, edits in sorted(marks.items(), reverse=True):
        share = room * (_NEWEST_SHARE if index == newest else _SHARE)
        left_out[index] = list(_without_room(renderer, edits, max(share, beside)))
        beside -= sum(_tokens(renderer, edit) for edit in edits if edit not in left_out[index])
    return left_out


def _without_room(renderer: Renderer, marks: Iterable[Edit], room: float) -> Iterator[Edit]:
    """Yield the marks of all pictures but the first ones of them that have room."""
    for mark in marks:
        room -= _tokens(renderer, mark)
        if room < 0:
            yield mark


def _tokens(renderer: Renderer, mark: Edit) -> int:
    return renderer.messages[mark.message].parts[mark.part].tokens


def with_marks(renderer: Renderer, decision: Decision, marks: Iterable[Edit]) -> Decision:
    """Return a decision with the marks of pictures besides what it cuts."""
    cut = {(edit.message, edit.part) for edit in decision.edits}
    more = [mark for mark in marks if (mark.message, mark.part) not in cut]
    if not more:
        return decision
    saved = sum(_tokens(renderer, mark) - mark.tokens for mark in more)
    edits = tuple(sorted([*decision.edits, *more]))
    return decision._replace(rendition="shortened", tokens=decision.tokens - saved, edits=edits)
