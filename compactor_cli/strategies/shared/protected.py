"""Keeps what must stay, at any price within the token budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compactor_cli.errors import BudgetError
from compactor_cli.model.group import Group
from compactor_cli.model.injected import is_agent_summary
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
from compactor_cli.strategies.shared.renditions import COMFORT_TOKENS, Cut, Renderer
from compactor_cli.strategies.shared.requests import LABEL_TOKENS
from compactor_cli.strategies.shared.rooms import LARGE_REQUEST_SHARE, agent_summary_share
from compactor_cli.summary_text.reading import earlier_words
from compactor_cli.text.gap_marks import GAP_MARK

SUMMARY_RESERVE_TOKENS = 120
"""Tokens reserved for a summary whenever something has to go: it says what it replaces, and what the transcript was
compacted from."""
REQUEST_REASONS = (FIRST_REQUEST, LAST_REQUEST)
"""Reasons of groups that hold the first and the last request of a session."""
_SESSION_SHARE = 0.08
"""Minimum share of the session's own tokens for which system messages are cut. A target of a tenth of the session
besides them leaves them whole. A target ratio raises the share."""
_MIN_SESSION_TOKENS = 120
"""Minimum tokens of a session, or all of a smaller one, for which system messages are cut. With less, no word of the
work would stay, and the request would look as if nobody had begun it."""
_ENCLOSED_SHARE = 0.1
"""Share of the room for what a harness put next to a request, if not everything fits."""
_SOFT_REASONS = (IN_FLIGHT, NEWEST, EARLIER_HISTORY)
"""Kept, but cut before the user's requests and the system messages."""
_NEWEST_PICTURE_SHARE, _PICTURE_SHARE = 0.7, 0.3
"""Shares of the room for pictures of the newest request, which asks about them, and of the first one: what they were
looked at for has been said since."""


def keep_protected(
    inputs: PlanInput, renderer: Renderer, groups: Sequence[Group], target: int, excluded: frozenset[int] = frozenset()
) -> list[Decision]:
    """Return the decisions on protected groups. Groups that a person decided to keep stay whole, the others if the
    target allows it. Groups in `excluded` are left to the caller.

    Raises BudgetError when nothing valid fits."""
    groups = [g for g in groups if g.index not in excluded]
    fixed = [Decision.whole(g, DECIDED) for g in groups if inputs.protected[g.index] == DECIDED]
    tokens_left = target - sum(d.tokens for d in fixed)
    soft = [g for g in groups if inputs.protected[g.index] in _SOFT_REASONS]
    hard = [g for g in groups if inputs.protected[g.index] not in (*_SOFT_REASONS, DECIDED)]
    has_others = len(inputs.groups) > len(groups)
    for decisions in _hard_options(inputs, renderer, hard, tokens_left, has_others=has_others):
        hard_decisions = _without_large_pictures(inputs, renderer, decisions, tokens_left) if has_others else decisions
        room = tokens_left - sum(d.tokens for d in hard_decisions)
        kept = _fit_soft(inputs, renderer, soft, room, has_others=has_others)
        if kept is not None:
            return [*fixed, *_with_reasons(inputs, [*kept, *hard_decisions])]
    # the words of the user are cut last of all
    kept = renderer.smallest(soft, "", prose=True)
    room = tokens_left - sum(d.tokens for d in kept)
    # as these have to be cut anyway, they also leave room for a note on what is gone
    cut = renderer.fit(hard, room - SUMMARY_RESERVE_TOKENS, "", prose=True) if has_others else None
    cut = cut or renderer.fit(hard, room, "", prose=True)
    if cut is None:
        raise _budget_error(inputs, target, [*fixed, *kept, *renderer.smallest(hard, "", prose=True)])
    return [*fixed, *_with_reasons(inputs, [*kept, *cut])]


def _hard_options(
    inputs: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int, *, has_others: bool
) -> Iterator[list[Decision]]:
    """Yield decisions on what is cut last, from the mildest: everything whole, or with shorter system messages; then
    without most of what stands next to a request, such as the files it names. Results of tools in one message with a
    request are as long as recent ones from the start.

    System messages are cut, to no less than half of the room, if the target would leave less than a share of the
    session to the rest (`has_others`), or too few tokens to say anything: nobody could continue from that. With a ratio
    everything has to shrink: the smaller the ratio, the closer this share is to it. System messages that are cut anyway
    also leave room for what the user typed: a harness repeats its words with every call, while the user's were said
    once."""
    beside = Cut(outputs=COMFORT_TOKENS if has_others else None)
    whole = {
        g.index: renderer.shorten(g, beside, "") if is_beside_results(inputs, g) else Decision.whole(g, "")
        for g in hard
    }
    system = [g for g in hard if _is_system(inputs, g)]
    system_tokens = sum(g.tokens for g in system)
    # what earlier rounds removed counts: a prompt that they cut has to leave as much room as a whole one, and does not
    # count as whole just because it fits now
    session_tokens = max(sum(g.tokens for g in inputs.groups), inputs.original_tokens) - system_tokens
    ratio = inputs.settings.target_ratio or 0.0
    share = max(_SESSION_SHARE, ratio * max(0.5, 1 - ratio))
    min_tokens = max(int(share * session_tokens), min(session_tokens, _MIN_SESSION_TOKENS))
    was_cut = any(GAP_MARK.search(inputs.messages[i].text("text")) for g in system for i in g.messages)
    for needed in dict.fromkeys((min_tokens, session_tokens)):
        if has_others and (was_cut or system_tokens > max(room // 2, room - needed)):
            typed = room_for_typed(inputs, room)
            max_tokens = max((room - typed) // 2, room - min(session_tokens, max(needed, typed + needed // 2)))
            if system_tokens > max_tokens:
                whole |= {d.group: d for d in renderer.fit(system, max_tokens, "", prose=True) or ()}
        yield list(whole.values())
    enclosed = _cut_enclosed(inputs, renderer, hard, int(_ENCLOSED_SHARE * room))
    if enclosed:
        yield list((whole | enclosed).values())


def _fit_soft(
    inputs: PlanInput, renderer: Renderer, soft: Sequence[Group], room: int, *, has_others: bool
) -> list[Decision] | None:
    """Return the decisions on what is cut first, or None if it does not fit. It leaves half of the room to the rest of
    the session if possible. A summary that an agent had written leaves more of it, except for what the user asked."""
    accounts = [g for g in soft if has_others and inputs.protected[g.index] == EARLIER_HISTORY]
    used = 0
    account_decisions: list[Decision] = []
    for group in accounts:
        cut = renderer.fit(
            [group], min(room // 2, _room_for_agent_summary(inputs, renderer, group, room)), "", prose=True
        )
        if cut is None:
            break
        account_decisions += cut
        used += cut[0].tokens
    else:
        rest = [g for g in soft if g not in accounts]
        for max_tokens in (room // 2, room):
            kept = renderer.fit(rest, max_tokens - used, "", prose=True)
            if kept is not None:
                return [*account_decisions, *kept]
    return renderer.fit(soft, room, "", prose=True)


def _room_for_agent_summary(inputs: PlanInput, renderer: Renderer, group: Group, room: int) -> int:
    """Return the tokens of the room for a summary that an agent had written: for what the user asked and ordered, as
    far as the words typed since leave room, and a share for the rest. Other summaries may take the whole room."""
    messages = [inputs.messages[i] for i in group.messages]
    accounts = [(m, part) for m in messages for part in m.parts if part.kind == "text" and is_agent_summary(part.text)]
    if not accounts:
        return room
    asked_tokens = sum(
        inputs.count(renderer.agent_summary(message, part).first_rank_text()) for message, part in accounts
    )
    share = agent_summary_share(inputs.messages, messages[-1].index)
    return min(asked_tokens, int(LARGE_REQUEST_SHARE * room) - room_for_typed(inputs, room)) + int(share * room)


def room_for_typed(inputs: PlanInput, room: int) -> int:
    """Return the tokens for what the user typed, which it gets before system messages that have to be cut. That is
    everything typed, including quotes in earlier summaries, up to its share of the room."""
    parts = (p for m in inputs.messages if m.origin == "request" for p in m.parts)
    typed = [p.tokens for p in parts if p.kind != "tool_result" and not p.images]
    texts = (part.text for m in inputs.messages if m.origin == "summary" for part in m.parts)
    quoted = [inputs.count(words.text) for text in texts for words in earlier_words(text, "user")]
    return min(sum(typed + quoted) + LABEL_TOKENS * len(typed + quoted), int(LARGE_REQUEST_SHARE * room))


def is_cut_system(inputs: PlanInput, decision: Decision) -> bool:
    """Return whether system messages are kept only in part."""
    return decision.rendition != "whole" and _is_system(inputs, inputs.groups[decision.group])


def _without_large_pictures(
    inputs: PlanInput, renderer: Renderer, decisions: Sequence[Decision], room: int
) -> list[Decision]:
    """Return what is cut last, with marks instead of pictures that would take more than their share of the room that
    system messages leave."""
    hard = [inputs.groups[d.group] for d in decisions]
    tokens_left = room - sum(d.tokens for d, g in zip(decisions, hard, strict=True) if _is_system(inputs, g))
    session_tokens = sum(g.tokens for g in inputs.groups if not _is_system(inputs, g))
    marks = marks_of_pictures(inputs, renderer, hard, tokens_left, session_tokens)
    return [with_marks(renderer, d, marks.get(d.group, ())) for d in decisions]


def is_beside_results(inputs: PlanInput, group: Group) -> bool:
    """Return whether a group is protected only for a request that stands in one message with results of tools."""
    messages = [inputs.messages[i] for i in group.messages]
    return inputs.protected.get(group.index) in REQUEST_REASONS and any(
        m.origin == "request" and m.results for m in messages
    )


def _is_system(inputs: PlanInput, group: Group) -> bool:
    return all(inputs.messages[i].role == "system" for i in group.messages)


def _cut_enclosed(inputs: PlanInput, renderer: Renderer, hard: Sequence[Group], room: int) -> dict[int, Decision]:
    """Return the decisions on requests whose messages from a harness are cut to `room` tokens, or as far as
    possible."""
    mixed = [g for g in hard if {inputs.messages[i].origin for i in g.messages} == {"request", "injected"}]
    requests = frozenset(i for g in mixed for i in g.messages if inputs.messages[i].origin == "request")
    request_tokens = sum(inputs.messages[i].tokens for i in requests)
    cut = renderer.fit(mixed, request_tokens + room, "", prose=True, exempt=requests)
    return {d.group: d for d in cut or renderer.smallest(mixed, "", prose=True, exempt=requests)}


def _with_reasons(inputs: PlanInput, decisions: Sequence[Decision]) -> list[Decision]:
    return [d._replace(reason=inputs.protected[d.group]) for d in decisions]


def _budget_error(inputs: PlanInput, target: int, smallest: list[Decision]) -> BudgetError:
    items: dict[str, int] = {}
    for decision in sorted(smallest, key=lambda d: d.group):
        reason = inputs.protected[decision.group]
        items[reason] = items.get(reason, 0) + decision.tokens
    return BudgetError(target, sum(items.values()), tuple(items.items()))


def marks_of_pictures(
    inputs: PlanInput, renderer: Renderer, groups: Iterable[Group], room: int, session_tokens: int
) -> dict[int, list[Edit]]:
    """Return, for the requests among some groups, the marks that replace pictures which exceed their share of the room.
    Pictures may take more if half of everything else fits next to them. `session_tokens`: tokens of everything,
    including pictures."""
    asking = [g for g in groups if inputs.protected[g.index] in (FIRST_REQUEST, LAST_REQUEST)]
    # the last request may not be among them, because a summary may repeat it
    newest = max((index for index, reason in inputs.protected.items() if reason in REQUEST_REASONS), default=-1)
    marks = {group.index: renderer.shorten(group, Cut(images=True), "").edits[::-1] for group in asking}
    session_tokens -= sum(_picture_tokens(renderer, edit) for edits in marks.values() for edit in edits)
    spare_room, left_out = room - session_tokens / 2, {}
    for index, edits in sorted(marks.items(), reverse=True):
        share = room * (_NEWEST_PICTURE_SHARE if index == newest else _PICTURE_SHARE)
        left_out[index] = list(_exceeding_marks(renderer, edits, max(share, spare_room)))
        spare_room -= sum(_picture_tokens(renderer, edit) for edit in edits if edit not in left_out[index])
    return left_out


def _exceeding_marks(renderer: Renderer, marks: Iterable[Edit], tokens_left: float) -> Iterator[Edit]:
    """Yield the marks of all pictures except the first ones that fit."""
    for mark in marks:
        tokens_left -= _picture_tokens(renderer, mark)
        if tokens_left < 0:
            yield mark


def _picture_tokens(renderer: Renderer, mark: Edit) -> int:
    return renderer.messages[mark.message].parts[mark.part].tokens


def with_marks(renderer: Renderer, decision: Decision, marks: Iterable[Edit]) -> Decision:
    """Return a decision that also replaces pictures with marks."""
    replaced = {(edit.message, edit.part) for edit in decision.edits}
    new_marks = [mark for mark in marks if (mark.message, mark.part) not in replaced]
    if not new_marks:
        return decision
    saved = sum(_picture_tokens(renderer, mark) - mark.tokens for mark in new_marks)
    edits = tuple(sorted([*decision.edits, *new_marks]))
    return decision._replace(rendition="shortened", tokens=decision.tokens - saved, edits=edits)
