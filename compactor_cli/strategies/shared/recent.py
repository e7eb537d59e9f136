"""What the strategies of seeds 001, 003 and 004 share: the newest messages stay, one summary stands for the rest.

With a target, the user's words come first, wherever they stand: in the recent messages, or repeated in the summary.
Of what they leave, the newest messages stay whole as long as the summary has its share; room that is left goes to
older exchanges. Without a target, the summary has a share of what it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Plan, Quote, SummaryPart, SummarySlot
from compactor_cli.model.planning import FIRST_REQUEST, RECENT, PlanInput, text_tokens
from compactor_cli.strategies.shared.abridged import KeptRequest
from compactor_cli.strategies.shared.carried_requests import (
    NO_WORDS,
    SHARE,
    Repeatable,
    choose,
    choose_instructions,
    in_place,
    quotes_of,
    repeatable,
    request_room,
)
from compactor_cli.strategies.shared.details import quoted_details
from compactor_cli.strategies.shared.finishing import finished, widened, without_closing
from compactor_cli.strategies.shared.in_hand import exchange_in_hand
from compactor_cli.strategies.shared.protected import REQUESTS, keep_protected
from compactor_cli.strategies.shared.renditions import Renderer, comfortable, fit_newest
from compactor_cli.strategies.shared.requests import HEADING as LABEL
from compactor_cli.strategies.shared.rooms import DETAIL
from compactor_cli.strategies.shared.time_order import HEADINGS, REPEATED, can_move, in_time_order
from compactor_cli.summary_text.headers import CUT_OFF
from compactor_cli.summary_text.verbatim import TURNS, block, turn
from compactor_cli.text.shorten import SMALLEST

HEADING = 90
"""Tokens of the heading of a summary, with what it was compacted from."""
MARK = 64
"""Tokens of the shortest heading, and of the line that says that nothing is kept."""
_MARKS = 3
"""Headings that a mark may take without a target: what is kept in the middle parts it."""
_TIGHT = 700
"""Tokens of room below which a summary may have to do with a shorter heading."""
_KEEPS = 0.15
"""Without a target: share of what it replaces that a summary may have (tier 3 of seed 000)."""
_SUMMARY_SHARE = 0.5
"""Share of the room that recent messages leave to the summary when they are large."""
_RECENT_SHARE = 0.75
"""Share of what the user's words leave that the other recent messages may take."""
_IN_HAND = 0.3
"""Share of it for the exchange in hand, where nothing else stays for being new."""
_UNUSED, _TIMES = 0.05, 6
"""Share of the target for which no line has to be found before older messages get that room, and how often at most."""
_MODEL_SHARE = 0.35
"""Share of a summary's room that a model has for what it writes, at least."""
_BESIDE_MODEL = 0.3
"""The same when a model writes the summary: it needs room to say something."""
LEAST, MOST = 1_000, 8_000
"""Tokens that a summary may always have (seed 001), and above which what stands under its headings says less
than the lines themselves."""


class Shape(Struct, frozen=True):
    """What makes a strategy of this kind."""

    name: str
    form: str = "summary"
    core: float = 0.2
    """Of the summary's room, for what stands under its headings; the rest, and what they do not need, is for lines of
    the session that are likely to be needed. 0: a mark that says what it stands for, and nothing else."""
    recent: bool = True
    """The newest messages stay; else the exchange in hand."""
    newest: float = 0.0
    """Share of the quoted lines for the newest messages: where none stay as they are."""
    absorbs: bool = False
    """The summary has places for the first request and the last one; else the first one stays as a message."""
    parts: Callable[[PlanInput, Sequence[Group]], tuple[SummaryPart, ...]] | None = None


def plan_recent(inputs: PlanInput, shape: Shape) -> Plan:
    """Make the plan of such a strategy. Raises BudgetError when nothing valid fits."""
    return _Planner(inputs, shape).plan()


def text_room(inputs: PlanInput, share: float, room: int, texts: int) -> int:
    """Return the tokens of a summary for what stands under its headings; a model's text has a length of its own."""
    limit = MOST
    if inputs.settings.summarizer == "llm":
        limit = min(MOST, max(1, texts) * text_tokens(inputs.settings.llm.summary_tokens))
    return min(int(room * share), limit)


def room_without_target(replaced: int) -> int:
    """Return the tokens that a summary may have, its heading aside, for this many tokens that it replaces."""
    return max(LEAST, min(MOST, int(replaced * _KEEPS)))


def kept_protected(inputs: PlanInput, renderer: Renderer, groups: Sequence[Group]) -> list[Decision]:
    """Keep protected groups: whole without a target, else as `keep_protected` says."""
    if inputs.target is None:
        return [Decision.whole(g, inputs.protected[g.index]) for g in groups]
    return keep_protected(inputs, renderer, groups, inputs.target)


def quote_tokens(inputs: PlanInput, strategy: str, quotes: Sequence[Quote]) -> int:
    """Return the tokens of what a summary repeats, with the headings."""
    texts = [turn(q.label, q.text) if q.kind == "turn" else block(strategy, q.kind, q.message, q.text) for q in quotes]
    title = inputs.count(TURNS) if any(quote.kind == "turn" for quote in quotes) else 0
    return title + sum(inputs.count(text) + 1 for text in texts)


_PlanParts = tuple[dict[int, Decision], list[SummarySlot]]


class _Planner:
    def __init__(self, inputs: PlanInput, shape: Shape) -> None:
        self.inputs, self.shape = inputs, shape
        self.renderer = Renderer(inputs.messages, inputs.count, pairing=inputs.pairing, keep=inputs.settings.keep)
        self.border = len(inputs.messages) - inputs.settings.recent_messages
        if not shape.recent:
            self.border = min((i for g in exchange_in_hand(inputs) for i in g.messages), default=len(inputs.messages))
        self.unused = 0
        """Tokens for which the summary of the last plan found no line of worth."""
        self.spare = 0
        """Those of earlier ones, which are for older messages."""
        self.in_hand: dict[int, Decision] = {}
        """The exchange in hand, where the rest has to be cut."""

    def plan(self) -> Plan:
        inputs = self.inputs
        protected = [g for g in inputs.groups if g.index in inputs.protected]
        kept = {d.group: d for d in kept_protected(inputs, self.renderer, protected)}
        attempt = None
        if self.shape.core and inputs.repeat:
            fixed = [g for g in protected if not self._is_loose(g)]
            attempt = self._attempt({d.group: d for d in kept_protected(inputs, self.renderer, fixed)}, repeats=True)
        # no room for a summary that repeats requests: they stay where they are; at last a mark says what is gone
        if attempt is None and self.shape.core:
            attempt = self._attempt(kept)
        if attempt is None and self.shape.core:
            self.shape = replace(self.shape, core=0.0, parts=None)
        if attempt is None:
            attempt = self._attempt(kept)
        decisions, slots = attempt or self._only_protected(kept)
        decisions |= without_closing(inputs, decisions)
        decisions |= widened(inputs, self.renderer, decisions, slots, inputs.protected)
        return finished(inputs, self.shape.name, decisions, slots, notes=self._notes(slots))

    def _notes(self, slots: Sequence[SummarySlot]) -> tuple[str, ...]:
        if self.shape.parts is None or not slots or any(slot.parts for slot in slots):
            return ()
        return (f"{self.shape.name}: too short to group by topic; one summary replaces all of it",)

    def _is_loose(self, group: Group) -> bool:
        """Return whether a request need not stay as a message. What an earlier summary carries, every one carries
        on."""
        reason = self.inputs.protected[group.index]
        if reason not in REQUESTS or len(group.messages) > 1:
            return False
        message = self.inputs.messages[group.messages[0]]
        if message.origin == "summary":
            return True
        return can_move(message) and (self.shape.absorbs or reason != FIRST_REQUEST)

    def _attempt(self, kept: dict[int, Decision], *, repeats: bool = False) -> _PlanParts | None:
        """Make a plan around what is kept; None without room for a summary. `repeats`: it may repeat requests."""
        self.spare = 0
        attempt = self._planned(kept, repeats=repeats)
        for _ in range(_TIMES):
            if attempt is None or not self.shape.recent or self.unused <= _UNUSED * (self.inputs.target or 0):
                break
            self.spare += self.unused
            better = self._planned(kept, repeats=repeats)
            if better is None or better[0] == attempt[0]:  # the next older message is larger than what is unused
                break
            attempt = better
        return attempt

    def _planned(self, kept: dict[int, Decision], *, repeats: bool) -> _PlanParts | None:
        """Return the decisions and the summaries around what is kept, as `_attempt` has them, in one try."""
        self.unused, self.in_hand = 0, {}
        inputs, shape = self.inputs, self.shape
        loose = [g for g in inputs.groups if g.index not in kept]
        words = repeatable(inputs, kept) if repeats else NO_WORDS
        heading = HEADING if shape.core else MARK
        if inputs.target is None:
            newest, older = self._by_border(loose)
            replaced = sum(g.tokens for g in older)
            chosen = choose(inputs, words, max(LEAST, int(SHARE * replaced)))
            chosen |= choose_instructions(inputs, words, max(LEAST, replaced))
            recent = [Decision.whole(g, RECENT) for g in newest]
        else:
            room = inputs.target - sum(d.tokens for d in kept.values())
            heading = MARK if room < _TIGHT else heading
            chosen = choose(inputs, words, min(request_room(room), room - heading))
            if words.last is not None and words.last not in chosen:
                return None
            chosen |= choose_instructions(inputs, words, room)
            recent, older = self._recent(loose, room, heading, chosen)
        quotes = self._quotes(words, chosen, recent)
        least = heading + quote_tokens(inputs, shape.name, quotes)
        if inputs.target is None:
            budget = (
                max(room_without_target(replaced) + HEADING, least + LEAST // 4) if shape.core else _MARKS * heading
            )
            if replaced <= budget or all(inputs.is_summary(g) for g in older):
                return {g.index: Decision.whole(g, "too little to summarize") for g in inputs.groups}, []
        else:
            budget = room - sum(d.tokens for d in recent)
        budget = min(budget, sum(g.tokens for g in older) - 1) if older and not self.in_hand else budget
        if budget < least and older:
            return None
        return self._placed(kept | {d.group: d for d in recent}, older, budget, quotes)

    def _quotes(
        self, words: Repeatable, chosen: Mapping[int, KeptRequest], recent: Sequence[Decision]
    ) -> tuple[Quote, ...]:
        """Return what the summary repeats: the chosen words that are not among the recent messages."""
        stay = {i for decision in recent for i in self.inputs.groups[decision.group].messages}
        aside = {number: request for number, request in chosen.items() if number not in stay}
        quotes = quotes_of(words, aside, ends=self.shape.absorbs)
        if self.shape.form == "handoff" and len(words.requests) == 2 and len({quote.text for quote in quotes}) == 1:
            return (replace(quotes[-1], kind="only"),)
        return quotes

    def _placed(
        self, kept: dict[int, Decision], older: Sequence[Group], budget: int, quotes: tuple[Quote, ...]
    ) -> _PlanParts | None:
        """Put a summary in place of older groups, or several where something that is kept stands between these; None
        where what it repeats has no room in them."""
        inputs = self.inputs
        quoted = frozenset(quote.message for quote in quotes)
        decisions = kept | {g.index: self._removed(g, quoted) for g in older}
        slots = [self._slot(older, budget, quotes)] if older else []
        for share in (HEADINGS, 0.0):  # where parts of the summary have no room for what it repeats, it stays in one
            placed, parts = in_time_order(inputs, decisions, slots, MARK, share)
            whole = {i for d in placed.values() if d.rendition == "whole" for i in inputs.groups[d.group].messages}
            repeated = {quote for slot in parts for quote in slot.quotes}
            if not older or all(quote in repeated or quote.message in whole for quote in quotes):
                filled = self._filled(parts)
                return placed | self.in_hand, filled
        return None

    def _removed(self, group: Group, quoted: frozenset[int | None]) -> Decision:
        reason = "in the summary" if self.shape.core else "older than the kept messages"
        reason = reason if quoted.isdisjoint(group.messages) else REPEATED
        return Decision.summarized(group, reason) if self.shape.core else Decision.gone(group, reason)

    def _slot(self, covered: Sequence[Group], budget: int, quotes: tuple[Quote, ...]) -> SummarySlot:
        names = tuple(g.index for g in covered)
        if not self.shape.core:
            return SummarySlot(3, names, budget, (), form=self.shape.form, note=CUT_OFF)
        return SummarySlot(3, names, budget, form=self.shape.form, quotes=quotes)

    def _filled(self, slots: Sequence[SummarySlot]) -> list[SummarySlot]:
        """Add their parts to the summaries; the largest one quotes lines besides."""
        if not self.shape.core:
            return list(slots)
        largest = max(slots, key=lambda slot: slot.budget, default=None)
        return [self._filled_one(slot, quotes_lines=slot is largest) for slot in slots]

    def _filled_one(self, slot: SummarySlot, *, quotes_lines: bool) -> SummarySlot:
        inputs, shape = self.inputs, self.shape
        covered = [inputs.groups[g] for g in slot.groups]
        parts = shape.parts(inputs, covered) if shape.parts else ()
        if quotes_lines:
            repeated = quote_tokens(inputs, shape.name, slot.quotes)
            if self.in_hand:  # whose lines make no way for it, as those of the summary do
                repeated += sum(inputs.count(quote.text) for quote in slot.quotes if quote.kind == "only")
            room = slot.budget - repeated - HEADING
            core = max(shape.core, _MODEL_SHARE) if inputs.settings.summarizer == "llm" else shape.core
            text_budget = text_room(inputs, core, room, len(parts))
            aside = {i for g in covered for i in g.messages if inputs.messages[i].origin == "request"}
            aside |= {quote.message for quote in slot.quotes if quote.message is not None}
            newest = int((room - text_budget) * shape.newest)
            in_hand = [inputs.groups[group] for group in self.in_hand]
            reserved = sum(decision.tokens for decision in self.in_hand.values())
            told = quoted_details(
                inputs, covered, room + reserved, aside, newest, in_hand, text_budget if in_hand else 0
            )
            self.in_hand |= told.in_hand
            budget = slot.budget + reserved - sum(decision.tokens for decision in self.in_hand.values())
            slot = replace(slot, own=text_budget, lines=told.lines, budget=budget)
            self.unused = told.left - text_budget if inputs.target is not None else 0
        return replace(slot, parts=parts) if parts or not shape.parts else replace(slot, form="summary")

    # -- the newest messages

    def _by_border(self, rest: list[Group]) -> tuple[list[Group], list[Group]]:
        """Return the recent groups and the others. What an earlier round wrote is not recent, unless there is nothing
        new to put it together with."""
        older = [g for g in rest if g.messages[-1] < self.border or self.inputs.is_summary(g)]
        if all(self.inputs.is_summary(g) for g in older):
            return rest, []
        taken = {g.index for g in older}
        return [g for g in rest if g.index not in taken], older

    def _recent(
        self, rest: list[Group], room: int, heading: int, chosen: Mapping[int, KeptRequest]
    ) -> tuple[list[Decision], list[Group]]:
        """Keep the newest messages whole, or cut when they must be; then older ones as far as there is room. Requests
        have their own room, wherever they stand."""
        if not self.shape.recent:
            return self._only_in_hand(rest, room - heading - sum(r.tokens + LABEL for r in chosen.values()))
        newest, older = self._by_border(rest)
        request_decisions: dict[int, Decision] = {}
        if not self.shape.core:
            if sum(g.tokens for g in newest) > room - heading:
                return self._whole(rest, room - heading)
            others = newest
            space = room - heading
        else:
            request_decisions, others = self._requests_in(newest, chosen)
            rest_of_room = room - heading - sum(request.tokens + LABEL for request in chosen.values())
            share = _BESIDE_MODEL if self.inputs.settings.summarizer == "llm" else _RECENT_SHARE
            space = int(min((1 - _SUMMARY_SHARE) * room, share * rest_of_room))
            # a summary needs less than what it replaces
            space = max(space, rest_of_room - sum(g.tokens for g in older))
            space = min(space + self.spare, rest_of_room)
            room = rest_of_room
        left_over: list[Group] = []
        if sum(g.tokens for g in others) > space:
            count = comfortable(self.renderer, others, space)
            recent, left_over = fit_newest(self.renderer, others, space, count, RECENT)
        else:
            recent = [Decision.whole(g, RECENT) for g in others]
            left = room - sum(d.tokens for d in recent)
            left = max(left - (MOST + DETAIL if self.shape.core else heading), min(left, self.spare))
            more, older = self._whole(older, left, smallest=False)
            recent += more
        # of the requests, those behind everything that is not kept stay at their place
        begin = max((g.index for g in left_over), default=-1)
        recent += [decision for index, decision in request_decisions.items() if index > begin]
        stay = {decision.group for decision in recent}
        return recent, [g for g in rest if g.index not in stay]

    def _only_in_hand(self, rest: list[Group], left: int) -> tuple[list[Decision], list[Group]]:
        """Keep the exchange in hand in its share of what is `left` of the room, or in what the summary does not need of
        it; nothing where that does not even have room as short as it gets."""
        newest = [g for g in rest if g.messages[-1] >= self.border]
        older = [g for g in rest if g.messages[-1] < self.border]
        most = max(int(_IN_HAND * left), left - sum(group.tokens for group in older) - HEADING)
        fitted = self.renderer.fit(newest, most, RECENT, prose=True)
        self.in_hand = {decision.group: decision for decision in fitted or ()}
        return (fitted, older) if fitted else ([], rest)

    def _requests_in(
        self, newest: Sequence[Group], chosen: Mapping[int, KeptRequest]
    ) -> tuple[dict[int, Decision], list[Group]]:
        """Return the recent requests as they can stand at their place, and the other recent groups. What is older than
        one that cannot is not recent."""
        decisions: dict[int, Decision] = {}
        others: list[Group] = []
        for group in reversed(newest):
            message = self.inputs.messages[group.messages[0]]
            if message.origin != "request" or not can_move(message):
                others.append(group)
                continue
            decision = in_place(self.inputs, group, chosen.get(message.index))
            if decision is None and group.tokens <= SMALLEST:  # a nod
                others.append(group)
                continue
            if decision is None:
                break
            decisions[group.index] = decision
        return decisions, others[::-1]

    def _whole(self, groups: list[Group], room: int, *, smallest: bool = True) -> tuple[list[Decision], list[Group]]:
        """Keep the newest groups that fit whole; with `smallest`, the newest one is cut when not even it does."""
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

    def _only_protected(self, kept: dict[int, Decision]) -> tuple[dict[int, Decision], list[SummarySlot]]:
        """Keep nothing but what is protected: there is no room for more."""
        rest = (g for g in self.inputs.groups if g.index not in kept)
        return kept | {g.index: Decision.gone(g, "no room for a summary") for g in rest}, []
