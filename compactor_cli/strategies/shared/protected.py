"""Keeps what must stay, at any price within the token budget."""

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
from compactor_cli.strategies.shared.renditions import COMFORT, Cut, Renderer
from compactor_cli.strategies.shared.requests import HEADING
from compactor_cli.strategies.shared.rooms import LARGE_REQUEST, account_share
from compactor_cli.summary_text.reading import earlier_words
from compactor_cli.text.gap_marks import GAP_MARK

HELD_BACK = 120
"""Tokens reserved for a summary whenever something has to go: it says what it replaces, and what the transcript was
compacted from."""
REQUESTS = (FIRST_REQUEST, LAST_REQUEST)
"""Reasons of groups that hold the first and the last request of a session."""
_SESSION_SHARE = 0.08
"""Minimum share of the session's own tokens for which system messages are cut. A target of a tenth of the session
besides them leaves them whole. A target ratio raises the share."""
_LEAST_OF_SESSION = 120
"""Minimum tokens of a session, or all of a smaller one, for which system messages are cut. With less, no word of the
work would stay, and the request would look as if nobody had begun it."""
_ENCLOSED_SHARE = 0.1
"""Share of the room for what a harness put next to a request, if not everything fits."""
_SOFT = (IN_FLIGHT, NEWEST, EARLIER_HISTORY)
"""Kept, but cut before the user's requests and the system messages."""
_NEWEST_SHARE, _SHARE = 0.7, 0.3
"""Shares of the room for pictures of the newest request, which asks about them, and of the first one: what they were
looked at for has been said since."""


def keep_protected(
    inputs: PlanInput, renderer: Renderer, groups: Sequence[Group], target: int, without: frozenset[int] = frozenset()
) -> list[Decision]:
    """Return the decisions on protected groups. Groups that a person decided to keep stay whole, the others if the
    target allows it. Groups in `without` are left to the caller.

    Raises BudgetError when nothing valid fits."""
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
    # the words of the user are cut last of all
    kept = renderer.smallest(soft, "", prose=True)
    room = tokens_left - sum(d.tokens for d in kept)
    # as these have to be cut anyway, they also leave room for a note on what is gone
    cut = renderer.fit(hard, room - HELD_BACK, "", prose=True) if others else None
    cut = cut or renderer.fit(hard, room, "", prose=True)
    if cut is None:
        raise _too_small(inputs, target, [*fixed, *kept, *renderer.smallest(hard, "", prose=True)])
    return [*fixed, *_reasoned(inputs, [*kept, *cut])]


def _firm(
    inputs: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int, *, others: bool
) -> Iterator[list[Decision]]:
    """Yield decisions on what is cut last, from the mildest: everything whole, or with shorter system messages; then
    without most of what stands next to a request, such as the files it names. Results of tools in one message with a
    request are as long as recent ones from the start.

    System messages are cut, to no less than half of the room, if the target would leave less than a share of the
    session to `others`, or too few tokens to say anything: nobody could continue from that. With a target ratio
    everything has to shrink: the smaller the ratio, the closer this share is to it. System messages that are cut anyway
    also leave room for what the user typed: a harness repeats its words with every call, while the user's were said
    once."""
    beside = Cut(outputs=COMFORT if others else None)
    whole = {
        g.index: renderer.shortened(g, beside, "") if is_beside_results(inputs, g) else Decision.whole(g, "")
        for g in hard
    }
    system = [g for g in hard if _is_system(inputs, g)]
    size = sum(g.tokens for g in system)
    # what earlier rounds removed counts: a prompt that they cut has to leave as much room as a whole one, and does not
    # count as whole just because it fits now
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
    """Return the decisions on what is cut first, or None if it does not fit. It leaves half of the room to the rest of
    the session if possible. A summary that an agent had written leaves more of it, except for what the user asked."""
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
    """Return the tokens of the room for a summary that an agent had written: for what the user asked and ordered, as
    far as the words typed since leave room, and a share for the rest. Other summaries may take the whole room."""
    messages = [inputs.messages[i] for i in group.messages]
    accounts = [(m, part) for m in messages for part in m.parts if part.kind == "text" and is_account(part.text)]
    if not accounts:
        return room
    asked = sum(inputs.count(renderer.account(message, part).asked()) for message, part in accounts)
    share = account_share(inputs.messages, messages[-1].index)
    return min(asked, int(LARGE_REQUEST * room) - room_for_typed(inputs, room)) + int(share * room)


def room_for_typed(inputs: PlanInput, room: int) -> int:
    """Return the tokens for what the user typed, which it gets before system messages that have to be cut. That is
    everything typed, including quotes in earlier summaries, up to its share of the room."""
    parts = (p for m in inputs.messages if m.origin == "request" for p in m.parts)
    typed = [p.tokens for p in parts if p.kind != "tool_result" and not p.images]
    texts = (part.text for m in inputs.messages if m.origin == "summary" for part in m.parts)
    quoted = [inputs.count(words.text) for text in texts for words in earlier_words(text, "user")]
    return min(sum(typed + quoted) + HEADING * len(typed + quoted), int(LARGE_REQUEST * room))


def is_cut_system(inputs: PlanInput, decision: Decision) -> bool:
    """Return whether system messages are kept only in part."""
    return decision.rendition != "whole" and _is_system(inputs, inputs.groups[decision.group])


def _without_large_pictures(
    inputs: PlanInput, renderer: Renderer, decisions: Sequence[Decision], room: int
) -> list[Decision]:
    """Return what is cut last, with marks instead of pictures that would take more than their share of the room that
    system messages leave."""
    hard = [inputs.groups[d.group] for d in decisions]
    left = room - sum(d.tokens for d, g in zip(decisions, hard, strict=True) if _is_system(inputs, g))
    session = sum(g.tokens for g in inputs.groups if not _is_system(inputs, g))
    marks = marks_of_pictures(inputs, renderer, hard, left, session)
    return [with_marks(renderer, d, marks.get(d.group, ())) for d in decisions]


def is_beside_results(inputs: PlanInput, group: Group) -> bool:
    """Return whether a group is protected only for a request that stands in one message with results of tools."""
    messages = [inputs.messages[i] for i in group.messages]
    return inputs.protected.get(group.index) in REQUESTS and any(m.origin == "request" and m.results for m in messages)


def _is_system(inputs: PlanInput, group: Group) -> bool:
    return all(inputs.messages[i].role == "system" for i in group.messages)


def _enclosed(inputs: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int) -> dict[int, Decision]:
    """Return the decisions on requests whose messages from a harness are cut to `room` tokens, or as far as
    possible."""
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
    """Return, for the requests among some groups, the marks that replace pictures which exceed their share of the room.
    Pictures may take more if half of everything else fits next to them. `words`: tokens of everything, including
    pictures."""
    asking = [g for g in groups if inputs.protected[g.index] in (FIRST_REQUEST, LAST_REQUEST)]
    # the last request may not be among them, because a summary may repeat it
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
    """Yield the marks of all pictures except the first ones that fit."""
    for mark in marks:
        room -= _tokens(renderer, mark)
        if room < 0:
            yield mark


def _tokens(renderer: Renderer, mark: Edit) -> int:
    return renderer.messages[mark.message].parts[mark.part].tokens


def with_marks(renderer: Renderer, decision: Decision, marks: Iterable[Edit]) -> Decision:
    """Return a decision that also replaces pictures with marks."""
    cut = {(edit.message, edit.part) for edit in decision.edits}
    more = [mark for mark in marks if (mark.message, mark.part) not in cut]
    if not more:
        return decision
    saved = sum(_tokens(renderer, mark) - mark.tokens for mark in more)
    edits = tuple(sorted([*decision.edits, *more]))
    return decision._replace(rendition="shortened", tokens=decision.tokens - saved, edits=edits)
