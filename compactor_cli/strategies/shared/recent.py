"""The common part of the strategies of seeds 001, 003 and 004: the newest messages stay, one summary replaces the rest.

With a target, the user's words come first, whether they are in the recent messages or repeated in the summary. Of the
remaining room, the newest messages stay whole as long as the summary has its share, and what is left goes to older
exchanges. Without a target, the summary gets a share of what it replaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Plan, Quote, SummaryPart, SummarySlot
from compactor_cli.model.planning import FIRST_REQUEST, RECENT, PlanInput, text_tokens
from compactor_cli.strategies.shared.carried_requests import (
    NO_WORDS,
    REQUEST_SHARE,
    Repeatable,
    choose_instructions,
    choose_repeated,
    find_repeatable,
    keep_in_place,
    make_quotes,
    request_room,
)
from compactor_cli.strategies.shared.details import quoted_details
from compactor_cli.strategies.shared.finishing import drop_closing_turn, make_plan, use_spare_tokens
from compactor_cli.strategies.shared.in_hand import exchange_in_hand
from compactor_cli.strategies.shared.kept_requests import KeptRequest
from compactor_cli.strategies.shared.protected import REQUEST_REASONS, keep_protected
from compactor_cli.strategies.shared.renditions import Renderer, count_fitting, fit_newest
from compactor_cli.strategies.shared.requests import LABEL_TOKENS
from compactor_cli.strategies.shared.rooms import DETAIL_TOKENS
from compactor_cli.strategies.shared.time_order import HEADING_SHARE, REPEATED_REASON, can_move, put_in_time_order
from compactor_cli.summary_text.headers import CUT_OFF
from compactor_cli.summary_text.verbatim import TURNS, block, turn
from compactor_cli.text.shorten import MIN_TOKENS

HEADING_TOKENS = 90
"""Tokens of the heading of a summary that says what it was compacted from."""
MARK_TOKENS = 64
"""Tokens of the shortest heading, and of the line that says that nothing is kept."""
_MAX_MARKS = 3
"""Number of headings that a mark may take without a target, because messages kept in the middle split it."""
_TIGHT_ROOM = 700
"""Tokens of room below which a summary may get a shorter heading."""
_KEPT_SHARE = 0.15
"""Without a target: the share of what it replaces that a summary may take (tier 3 of seed 000)."""
_SUMMARY_SHARE = 0.5
"""Share of the room that large recent messages leave to the summary."""
_RECENT_SHARE = 0.75
"""Share of the room left by the user's words that the other recent messages may take."""
_IN_HAND_SHARE = 0.3
"""Share of that room for the exchange in hand, if nothing else stays for being new."""
_UNUSED_SHARE, _EMPTY, _MAX_ATTEMPTS = 0.05, 0.25, 6
"""Shares of the target that have to be unused before it goes to older messages, or to more of a cut last request, and
maximum number of attempts."""
_MODEL_SHARE = 0.35
"""Minimum share of a summary's room for the text that a model writes."""
_RECENT_SHARE_OF_MODEL = 0.3
"""The same as `_RECENT_SHARE` if a model writes the summary, because it needs room to say something."""
MIN_TEXT_TOKENS, MAX_TEXT_TOKENS = 1_000, 8_000
"""Tokens that a summary may always take (seed 001), and tokens above which text under its headings says less than
quoted lines."""


class Shape(Struct, frozen=True):
    """What distinguishes the strategies of this kind."""

    name: str
    outline: str = "summary"
    text_share: float = 0.2
    """Share of the summary's room for the text under its headings. The rest, and what the text does not need, is for
    lines that are likely to be needed. 0: a mark that says what it stands for, and nothing else."""
    has_recent: bool = True
    """Whether the newest messages stay. Otherwise the exchange in hand does."""
    newest_share: float = 0.0
    """Share of the quoted lines for the newest messages, if none of these stay as they are."""
    repeats_requests: bool = False
    """Whether the summary has places for the first and the last request. Otherwise the first one stays as a message."""
    parts: Callable[[PlanInput, Sequence[Group]], tuple[SummaryPart, ...]] | None = None


def plan_recent(inputs: PlanInput, shape: Shape) -> Plan:
    """Return the plan of such a strategy. Raises BudgetError when nothing valid fits."""
    return _Planner(inputs, shape).plan()


def text_limit(inputs: PlanInput, share: float, room: int, text_count: int) -> int:
    """Return the tokens of a summary for the text under its headings. A model's text has its own maximum length."""
    limit = MAX_TEXT_TOKENS
    if inputs.settings.summarizer == "llm":
        limit = min(MAX_TEXT_TOKENS, max(1, text_count) * text_tokens(inputs.settings.llm.summary_tokens))
    return min(int(room * share), limit)


def room_without_target(replaced: int) -> int:
    """Return the tokens that a summary may take without its heading, if it replaces this many tokens."""
    return max(MIN_TEXT_TOKENS, min(MAX_TEXT_TOKENS, int(replaced * _KEPT_SHARE)))


def protected_decisions(inputs: PlanInput, renderer: Renderer, groups: Sequence[Group]) -> list[Decision]:
    """Return the decisions on protected groups: whole without a target, otherwise those of `keep_protected`."""
    if inputs.target is None:
        return [Decision.whole(g, inputs.protected[g.index]) for g in groups]
    return keep_protected(inputs, renderer, groups, inputs.target)


def quote_tokens(inputs: PlanInput, strategy: str, quotes: Sequence[Quote]) -> int:
    """Return the tokens of what a summary repeats, including headings."""
    texts = [turn(q.label, q.text) if q.kind == "turn" else block(strategy, q.kind, q.message, q.text) for q in quotes]
    title = inputs.count(TURNS) if any(quote.kind == "turn" for quote in quotes) else 0
    return title + sum(inputs.count(text) + 1 for text in texts)


_PlanParts = tuple[dict[int, Decision], list[SummarySlot]]
_Split = tuple[list[Decision], list[Group]]


class _Planner:
    def __init__(self, inputs: PlanInput, shape: Shape) -> None:
        self.inputs, self.shape = inputs, shape
        self.renderer = Renderer(inputs.messages, inputs.count, pairing=inputs.pairing, keep=inputs.settings.keep)
        self.border = len(inputs.messages) - inputs.settings.recent_messages
        if not shape.has_recent:
            self.border = min((i for g in exchange_in_hand(inputs) for i in g.messages), default=len(inputs.messages))
        self.unused = 0
        """Tokens for which the summary of the last plan found no valuable line."""
        self.spare = 0
        """Unused tokens of earlier plans, which are for older messages."""
        self.for_requests = 0
        """Unused tokens of the first plan, which are for the requests if the last one is cut: no line needs them."""
        self.cuts = False  # whether the last plan cuts the last request
        self.in_hand: dict[int, Decision] = {}
        """The exchange in hand, if the rest has to be cut."""

    def plan(self) -> Plan:
        inputs = self.inputs
        protected = [g for g in inputs.groups if g.index in inputs.protected]
        kept = {d.group: d for d in protected_decisions(inputs, self.renderer, protected)}
        attempt = None
        if self.shape.text_share and inputs.repeat:
            fixed = [g for g in protected if not self._can_repeat(g)]
            fixed_decisions = {d.group: d for d in protected_decisions(inputs, self.renderer, fixed)}
            attempt = self._attempt(fixed_decisions, repeats=True)
        # if a summary that repeats requests does not fit, they stay in place; the last resort is a mark
        if attempt is None and self.shape.text_share:
            attempt = self._attempt(kept)
        if attempt is None and self.shape.text_share:
            self.shape = replace(self.shape, text_share=0.0, parts=None)
        if attempt is None:
            attempt = self._attempt(kept)
        decisions, slots = attempt or self._only_protected(kept)
        decisions |= drop_closing_turn(inputs, decisions)
        decisions |= use_spare_tokens(inputs, self.renderer, decisions, slots, inputs.protected)
        return make_plan(inputs, self.shape.name, decisions, slots, notes=self._notes(slots))

    def _notes(self, slots: Sequence[SummarySlot]) -> tuple[str, ...]:
        if self.shape.parts is None or not slots or any(slot.parts for slot in slots):
            return ()
        return (f"{self.shape.name}: too short to group by topic; one summary replaces all of it",)

    def _can_repeat(self, group: Group) -> bool:
        """Return whether a request does not have to stay as a message. A request in an earlier summary is repeated in
        every later one."""
        reason = self.inputs.protected[group.index]
        if reason not in REQUEST_REASONS or len(group.messages) > 1:
            return False
        message = self.inputs.messages[group.messages[0]]
        if message.origin == "summary":
            return True
        return can_move(message) and (self.shape.repeats_requests or reason != FIRST_REQUEST)

    def _attempt(self, kept: dict[int, Decision], *, repeats: bool = False) -> _PlanParts | None:
        """Return a plan around what is kept, or None without room for a summary. `repeats`: it may repeat requests."""
        self.spare = self.for_requests = 0
        attempt, target = self._plan_once(kept, repeats=repeats), self.inputs.target or 0
        unused = self.unused
        for _ in range(_MAX_ATTEMPTS):
            if attempt is None or not self.shape.has_recent or unused <= _UNUSED_SHARE * target:
                break
            self.spare += unused
            better = self._plan_once(kept, repeats=repeats)
            if better is None or better[0] == attempt[0]:  # the next older message does not fit into the unused tokens
                self.spare -= unused
                break
            attempt, unused = better, self.unused
        if attempt is not None and self.cuts and unused > _EMPTY * target:
            self.for_requests = unused
            attempt = self._plan_once(kept, repeats=repeats) or attempt
        return attempt

    def _plan_once(self, kept: dict[int, Decision], *, repeats: bool) -> _PlanParts | None:
        """Return the decisions and the summaries around what is kept, in one try. Arguments as in `_attempt`."""
        self.unused, self.in_hand = 0, {}
        inputs, shape = self.inputs, self.shape
        loose = [g for g in inputs.groups if g.index not in kept]
        words = find_repeatable(inputs, kept) if repeats else NO_WORDS
        heading = HEADING_TOKENS if shape.text_share else MARK_TOKENS
        if inputs.target is None:
            newest, older = self._split_at_border(loose)
            replaced = sum(g.tokens for g in older)
            chosen = choose_repeated(inputs, words, max(MIN_TEXT_TOKENS, int(REQUEST_SHARE * replaced)))
            chosen |= choose_instructions(inputs, words, max(MIN_TEXT_TOKENS, replaced))
            recent = [Decision.whole(g, RECENT) for g in newest]
        else:
            room = inputs.target - sum(d.tokens for d in kept.values())
            heading = MARK_TOKENS if room < _TIGHT_ROOM else heading
            most = min(request_room(room) + self.for_requests, room - heading)
            chosen = choose_repeated(inputs, words, most, fills=self.for_requests > 0)
            self.cuts = words.last in chosen and not chosen[words.last].whole
            if words.last is not None and words.last not in chosen:
                return None
            chosen |= choose_instructions(inputs, words, room)
            recent, older = self._keep_recent(loose, room, heading, chosen)
        quotes = self._quotes(words, chosen, recent)
        least = heading + quote_tokens(inputs, shape.name, quotes)
        if inputs.target is None:
            budget = _MAX_MARKS * heading
            if shape.text_share:
                budget = max(room_without_target(replaced) + HEADING_TOKENS, least + MIN_TEXT_TOKENS // 4)
            if replaced <= budget or all(inputs.is_summary(g) for g in older):
                return {g.index: Decision.whole(g, "too little to summarize") for g in inputs.groups}, []
        else:
            budget = room - sum(d.tokens for d in recent)
        budget = min(budget, sum(g.tokens for g in older) - 1) if older and not self.in_hand else budget
        if budget < least and older:
            return None
        return self._place_summaries(kept | {d.group: d for d in recent}, older, budget, quotes)

    def _quotes(
        self, words: Repeatable, chosen: Mapping[int, KeptRequest], recent: Sequence[Decision]
    ) -> tuple[Quote, ...]:
        """Return what the summary repeats: the chosen words that are not in the recent messages."""
        kept_messages = {i for decision in recent for i in self.inputs.groups[decision.group].messages}
        moved = {number: request for number, request in chosen.items() if number not in kept_messages}
        quotes = make_quotes(words, moved, ends_with_request=self.shape.repeats_requests)
        if self.shape.outline == "handoff" and len(words.requests) == 2 and len({quote.text for quote in quotes}) == 1:
            return (replace(quotes[-1], kind="only"),)
        return quotes

    def _place_summaries(
        self, kept: dict[int, Decision], older: Sequence[Group], budget: int, quotes: tuple[Quote, ...]
    ) -> _PlanParts | None:
        """Replace older groups with a summary, or with several if something kept is between them. Return None if what
        it repeats does not fit in them."""
        inputs = self.inputs
        quoted = frozenset(quote.message for quote in quotes)
        decisions = kept | {g.index: self._removed_decision(g, quoted) for g in older}
        slots = [self._make_slot(older, budget, quotes)] if older else []
        for share in (HEADING_SHARE, 0.0):  # split the summary only if the repeated words fit in its parts
            placed, parts = put_in_time_order(inputs, decisions, slots, MARK_TOKENS, share)
            whole = {i for d in placed.values() if d.rendition == "whole" for i in inputs.groups[d.group].messages}
            repeated = {quote for slot in parts for quote in slot.quotes}
            if not older or all(quote in repeated or quote.message in whole for quote in quotes):
                filled = self._fill_slots(parts)
                return placed | self.in_hand, filled
        return None

    def _removed_decision(self, group: Group, quoted: frozenset[int | None]) -> Decision:
        reason = "in the summary" if self.shape.text_share else "older than the kept messages"
        reason = reason if quoted.isdisjoint(group.messages) else REPEATED_REASON
        return Decision.summarized(group, reason) if self.shape.text_share else Decision.gone(group, reason)

    def _make_slot(self, covered: Sequence[Group], budget: int, quotes: tuple[Quote, ...]) -> SummarySlot:
        names = tuple(g.index for g in covered)
        if not self.shape.text_share:
            return SummarySlot(3, names, budget, (), outline=self.shape.outline, note=CUT_OFF)
        return SummarySlot(3, names, budget, outline=self.shape.outline, quotes=quotes)

    def _fill_slots(self, slots: Sequence[SummarySlot]) -> list[SummarySlot]:
        """Return the summaries with their parts. The largest one also quotes lines."""
        if not self.shape.text_share:
            return list(slots)
        largest = max(slots, key=lambda slot: slot.budget, default=None)
        return [self._fill_slot(slot, quotes_lines=slot is largest) for slot in slots]

    def _fill_slot(self, slot: SummarySlot, *, quotes_lines: bool) -> SummarySlot:
        inputs, shape = self.inputs, self.shape
        covered = [inputs.groups[g] for g in slot.groups]
        parts = shape.parts(inputs, covered) if shape.parts else ()
        if quotes_lines:
            repeated = quote_tokens(inputs, shape.name, slot.quotes)
            if self.in_hand:  # its lines are not dropped for it, as those of the summary are
                repeated += sum(inputs.count(quote.text) for quote in slot.quotes if quote.kind == "only")
            room = slot.budget - repeated - HEADING_TOKENS
            text_share = max(shape.text_share, _MODEL_SHARE if inputs.settings.summarizer == "llm" else 0.0)
            text_budget = text_limit(inputs, text_share, room, len(parts))
            excluded = {i for g in covered for i in g.messages if inputs.messages[i].origin == "request"}
            excluded |= {quote.message for quote in slot.quotes if quote.message is not None}
            newest = int((room - text_budget) * shape.newest_share)
            in_hand = [inputs.groups[group] for group in self.in_hand]
            reserved = sum(decision.tokens for decision in self.in_hand.values())
            details = quoted_details(
                inputs, covered, room + reserved, excluded, newest, in_hand, text_budget if in_hand else 0
            )
            self.in_hand |= details.in_hand
            budget = slot.budget + reserved - sum(decision.tokens for decision in self.in_hand.values())
            slot = replace(slot, reserved_tokens=text_budget, lines=details.lines, budget=budget)
            self.unused = details.budget - text_budget if inputs.target is not None else 0
        return replace(slot, parts=parts) if parts or not shape.parts else replace(slot, outline="summary")

    # -- the newest messages

    def _split_at_border(self, rest: list[Group]) -> tuple[list[Group], list[Group]]:
        """Return the recent groups and the others. Summaries of earlier rounds are not recent, unless there is nothing
        new to combine them with."""
        older = [g for g in rest if g.messages[-1] < self.border or self.inputs.is_summary(g)]
        if all(self.inputs.is_summary(g) for g in older):
            return rest, []
        older_indices = {g.index for g in older}
        return [g for g in rest if g.index not in older_indices], older

    def _keep_recent(self, rest: list[Group], room: int, heading: int, chosen: Mapping[int, KeptRequest]) -> _Split:
        """Return the newest messages, whole or cut if necessary, with older ones as far as they fit, and the groups
        that do not stay. Requests have their own room."""
        if not self.shape.has_recent:
            return self._only_in_hand(rest, room - heading - sum(r.tokens + LABEL_TOKENS for r in chosen.values()))
        newest, older = self._split_at_border(rest)
        request_decisions: dict[int, Decision] = {}
        if not self.shape.text_share:
            if sum(g.tokens for g in newest) > room - heading:
                return self._keep_whole(rest, room - heading)
            others, recent_room = newest, room - heading
        else:
            request_decisions, others = self._keep_requests(newest, chosen)
            tokens_left = room - heading - sum(request.tokens + LABEL_TOKENS for request in chosen.values())
            share = _RECENT_SHARE_OF_MODEL if self.inputs.settings.summarizer == "llm" else _RECENT_SHARE
            recent_room = int(min((1 - _SUMMARY_SHARE) * room, share * tokens_left))
            # a summary takes less than what it replaces
            recent_room = max(recent_room, tokens_left - sum(g.tokens for g in older))
            recent_room = min(recent_room + self.spare, tokens_left)
            room = tokens_left
        left_over: list[Group] = []
        if sum(g.tokens for g in others) > recent_room:
            count = count_fitting(self.renderer, others, recent_room)
            recent, left_over = fit_newest(self.renderer, others, recent_room, count, RECENT)
        else:
            recent = [Decision.whole(g, RECENT) for g in others]
            left = room - sum(d.tokens for d in recent)
            reserved = MAX_TEXT_TOKENS + DETAIL_TOKENS if self.shape.text_share else heading
            left = max(left - reserved, min(left, self.spare))
            more, older = self._keep_whole(older, left, smallest=False)
            recent += more
        # requests after everything that is not kept stay in place
        first_kept = max((g.index for g in left_over), default=-1)
        recent += [decision for index, decision in request_decisions.items() if index > first_kept]
        kept_indices = {decision.group for decision in recent}
        return recent, [g for g in rest if g.index not in kept_indices]

    def _only_in_hand(self, rest: list[Group], left: int) -> _Split:
        """Keep the exchange in hand in its share of the tokens `left`, or in what the summary does not need of them.
        Keep nothing if even its shortest form does not fit."""
        newest = [g for g in rest if g.messages[-1] >= self.border]
        older = [g for g in rest if g.messages[-1] < self.border]
        max_tokens = max(int(_IN_HAND_SHARE * left), left - sum(group.tokens for group in older) - HEADING_TOKENS)
        fitted = self.renderer.fit(newest, max_tokens, RECENT, prose=True)
        self.in_hand = {decision.group: decision for decision in fitted or ()}
        return (fitted, older) if fitted else ([], rest)

    def _keep_requests(
        self, newest: Sequence[Group], chosen: Mapping[int, KeptRequest]
    ) -> tuple[dict[int, Decision], list[Group]]:
        """Return the decisions on recent requests that can stay in place, and the other recent groups. Groups before a
        request that cannot stay are not recent."""
        decisions: dict[int, Decision] = {}
        others: list[Group] = []
        for group in reversed(newest):
            message = self.inputs.messages[group.messages[0]]
            if message.origin != "request" or not can_move(message):
                others.append(group)
                continue
            decision = keep_in_place(self.inputs, group, chosen.get(message.index))
            if decision is None and group.tokens <= MIN_TOKENS:  # a nod
                others.append(group)
                continue
            if decision is None:
                break
            decisions[group.index] = decision
        return decisions, others[::-1]

    def _keep_whole(self, groups: list[Group], room: int, *, smallest: bool = True) -> _Split:
        """Keep the newest groups that fit whole. With `smallest`, the newest one is cut if not even that fits."""
        count, used = 0, 0
        for group in reversed(groups):
            used += group.tokens
            if used > room:
                break
            count += 1
        if count or not smallest or not groups:
            kept = groups[len(groups) - count :]
            return [Decision.whole(g, RECENT) for g in kept], groups[: len(groups) - count]
        return fit_newest(self.renderer, groups, room, 1, RECENT)

    def _only_protected(self, kept: dict[int, Decision]) -> _PlanParts:
        """Return a plan that keeps nothing but what is protected, because nothing else fits."""
        gone = [Decision.gone(g, "no room for a summary") for g in self.inputs.groups if g.index not in kept]
        return kept | {decision.group: decision for decision in gone}, []
