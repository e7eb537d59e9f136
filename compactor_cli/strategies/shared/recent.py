"""What the strategies of seeds 001, 003 and 004 share: the newest messages stay, one summary stands for the rest.

With a target, the user's words come first, wherever they stand: in the recent messages, or repeated in the summary.
Of what they leave, the newest messages stay whole as long as the summary has its share; room that is left goes to
older exchanges. Without a target, the summary has a share of what it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.drafting import text_tokens
from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Plan, Quote, SummaryPart, SummarySlot
from compactor_cli.model.planning import FIRST_REQUEST, RECENT, PlanInput
from compactor_cli.strategies.shared.carried_requests import (
    NO_WORDS,
    SHARE,
    asking_room,
    choose,
    choose_instructions,
    in_place,
    quotes_of,
    repeatable,
)
from compactor_cli.strategies.shared.details import DETAIL, quoted_details
from compactor_cli.strategies.shared.newest import comfortable, fit_newest
from compactor_cli.strategies.shared.protected import REQUESTS, keep_protected, without_closing
from compactor_cli.strategies.shared.renditions import Renderer
from compactor_cli.strategies.shared.requests import HEADING as LABEL
from compactor_cli.strategies.shared.requests import KeptRequest
from compactor_cli.strategies.shared.time_order import can_move, in_time_order
from compactor_cli.summaries.format.headers import CUT_OFF
from compactor_cli.summaries.format.verbatim import TURNS, block, turn
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
_UNUSED, _TIMES = 0.05, 3
"""Share of the target for which no line has to be found before older messages get that room, and how often."""
_TOLD = 0.35
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
    """The newest messages stay."""
    newest: float = 0.0
    """Share of the quoted lines for the newest messages: where none stay as they are."""
    absorbs: bool = False
    """The summary has places for the first request and the last one; else the first one stays as a message."""
    parts: Callable[[PlanInput, Sequence[Group]], tuple[SummaryPart, ...]] | None = None


def plan_recent(given: PlanInput, shape: Shape) -> Plan:
    """The plan of such a strategy. Raises BudgetError when nothing valid fits."""
    return _Planner(given, shape).plan()


def text_room(given: PlanInput, share: float, room: int, texts: int) -> int:
    """Tokens of a summary for what stands under its headings; what a model writes of it has a length of its own."""
    most = MOST
    if given.settings.summarizer == "llm":
        most = min(MOST, max(1, texts) * text_tokens(given.settings.llm.summary_tokens))
    return min(int(room * share), most)


def room_without_target(replaced: int) -> int:
    """Tokens that a summary may have, its heading aside, for this many tokens that it replaces."""
    return max(LEAST, min(MOST, int(replaced * _KEEPS)))


def finished(
    given: PlanInput,
    strategy: str,
    decisions: Mapping[int, Decision],
    slots: Sequence[SummarySlot],
    notes: tuple[str, ...] = (),
) -> Plan:
    """The plan of these decisions. Without a target it implies one, so that a second run finds nothing to do;
    residuals that are not whole are demoted."""
    implied = sum(d.tokens for d in decisions.values()) + sum(slot.budget for slot in slots)
    lost = {i for d in decisions.values() if d.rendition != "whole" for i in given.groups[d.group].messages}
    return Plan(
        strategy=strategy,
        target=given.target if given.target is not None else implied,
        decisions=tuple(decisions[g.index] for g in given.groups),
        slots=tuple(slots),
        demoted=frozenset(lost & given.residuals.kept),
        notes=notes,
    )


def kept_protected(given: PlanInput, renderer: Renderer, groups: Sequence[Group]) -> list[Decision]:
    """Protected groups: whole without a target, else as `keep_protected` says."""
    if given.target is None:
        return [renderer.whole(g, given.protected[g.index]) for g in groups]
    return keep_protected(given, renderer, groups, given.target)


def quote_tokens(given: PlanInput, strategy: str, quotes: Sequence[Quote]) -> int:
    """Tokens of what a summary repeats, with the headings."""
    said = [turn(q.label, q.text) if q.kind == "turn" else block(strategy, q.kind, q.message, q.text) for q in quotes]
    title = given.count(TURNS) if any(quote.kind == "turn" for quote in quotes) else 0
    return title + sum(given.count(text) + 1 for text in said)


_Found = tuple[dict[int, Decision], list[SummarySlot]]


class _Planner:
    def __init__(self, given: PlanInput, shape: Shape) -> None:
        self.given, self.shape = given, shape
        self.renderer = Renderer(given.messages, given.count)
        self.border = len(given.messages) - (given.settings.recent_messages if shape.recent else 0)
        self.unused = 0
        """Tokens for which the summary of the last plan found no line of worth."""
        self.spare = 0
        """Those of earlier ones, which are for older messages."""

    def plan(self) -> Plan:
        given = self.given
        protected = [g for g in given.groups if g.index in given.protected]
        kept = {d.group: d for d in kept_protected(given, self.renderer, protected)}
        found = None
        if self.shape.core and given.repeat:
            fixed = [g for g in protected if not self._is_loose(g)]
            found = self._attempt({d.group: d for d in kept_protected(given, self.renderer, fixed)}, repeats=True)
        # no room for a summary that repeats requests: they stay where they are; at last a mark says what is gone
        if found is None and self.shape.core:
            found = self._attempt(kept)
        if found is None and self.shape.core:
            self.shape = replace(self.shape, core=0.0, parts=None)
        if found is None:
            found = self._attempt(kept)
        decisions, slots = found or self._bare(kept)
        decisions |= without_closing(given, self.renderer, decisions)
        return finished(given, self.shape.name, decisions, slots, self._notes(slots))

    def _notes(self, slots: Sequence[SummarySlot]) -> tuple[str, ...]:
        if self.shape.parts is None or not slots or any(slot.parts for slot in slots):
            return ()
        return (f"{self.shape.name}: too short to be grouped by topic; one summary stands for all of it",)

    def _is_loose(self, group: Group) -> bool:
        """Return whether a request need not stay as a message. What an earlier summary carries, every one carries
        on."""
        reason = self.given.protected[group.index]
        if reason not in REQUESTS or len(group.messages) > 1:
            return False
        message = self.given.messages[group.messages[0]]
        if message.origin == "summary":
            return True
        return can_move(message) and (self.shape.absorbs or reason != FIRST_REQUEST)

    def _attempt(self, kept: dict[int, Decision], *, repeats: bool = False) -> _Found | None:
        """A plan around what is kept; None when there is no room for a summary. `repeats`: it may repeat requests."""
        self.spare = 0
        found = self._planned(kept, repeats=repeats)
        for _ in range(_TIMES):
            if found is None or not self.shape.recent or self.unused <= _UNUSED * (self.given.target or 0):
                break
            self.spare += self.unused
            found = self._planned(kept, repeats=repeats) or found
        return found

    def _planned(self, kept: dict[int, Decision], *, repeats: bool) -> _Found | None:
        self.unused = 0
        given, shape = self.given, self.shape
        loose = [g for g in given.groups if g.index not in kept]
        words = repeatable(given, kept) if repeats else NO_WORDS
        heading = HEADING if shape.core else MARK
        if given.target is None:
            newest, older = self._by_border(loose)
            replaced = sum(g.tokens for g in older)
            chosen = choose(given, words, max(LEAST, int(SHARE * replaced)))
            chosen |= choose_instructions(given, words, max(LEAST, replaced))
            recent = [self.renderer.whole(g, RECENT) for g in newest]
        else:
            room = given.target - sum(d.tokens for d in kept.values())
            heading = MARK if room < _TIGHT else heading
            chosen = choose(given, words, min(asking_room(room), room - heading))
            if words.last is not None and words.last not in chosen:
                return None
            chosen |= choose_instructions(given, words, room)
            recent, older = self._recent(loose, room, heading, chosen)
        stay = {i for decision in recent for i in given.groups[decision.group].messages}
        aside = {number: asked for number, asked in chosen.items() if number not in stay}
        quotes = quotes_of(words, aside, ends=shape.absorbs)
        if shape.form == "handoff" and len(words.requests) == 2 and len({quote.text for quote in quotes}) == 1:
            quotes = (replace(quotes[-1], kind="only"),)
        least = heading + quote_tokens(given, shape.name, quotes)
        if given.target is None:
            budget = (
                max(room_without_target(replaced) + HEADING, least + LEAST // 4) if shape.core else _MARKS * heading
            )
            if replaced <= budget or all(given.is_summary(g) for g in older):
                return {g.index: self.renderer.whole(g, "too little to summarize") for g in given.groups}, []
        else:
            budget = room - sum(d.tokens for d in recent)
        budget = min(budget, sum(g.tokens for g in older) - 1) if older else budget
        if budget < least and older:
            return None
        decisions = kept | {d.group: d for d in recent}
        decisions |= {g.index: self._removed(g, quotes) for g in older}
        slots = [self._slot(older, budget, quotes)] if older else []
        decisions, slots = in_time_order(given, decisions, slots, MARK)
        whole = {i for d in decisions.values() if d.rendition == "whole" for i in given.groups[d.group].messages}
        repeated = {quote for slot in slots for quote in slot.quotes}
        if older and not all(quote in repeated or quote.message in whole for quote in quotes):
            return None
        return decisions, self._filled(slots)

    def _removed(self, group: Group, quotes: Sequence[Quote]) -> Decision:
        said = any(quote.message in group.messages for quote in quotes)
        why = "in the summary" if self.shape.core else "older than what is kept"
        return self.renderer.removed(group, "repeated in the summary" if said else why, summarized=self.shape.core > 0)

    def _slot(self, covered: Sequence[Group], budget: int, quotes: tuple[Quote, ...]) -> SummarySlot:
        names = tuple(g.index for g in covered)
        if not self.shape.core:
            return SummarySlot(3, names, budget, (), form=self.shape.form, note=CUT_OFF)
        return SummarySlot(3, names, budget, form=self.shape.form, quotes=quotes)

    def _filled(self, slots: Sequence[SummarySlot]) -> list[SummarySlot]:
        """The summaries with their parts; the largest one quotes lines besides."""
        if not self.shape.core:
            return list(slots)
        largest = max(slots, key=lambda slot: slot.budget, default=None)
        return [self._filled_one(slot, quotes_lines=slot is largest) for slot in slots]

    def _filled_one(self, slot: SummarySlot, *, quotes_lines: bool) -> SummarySlot:
        given, shape = self.given, self.shape
        covered = [given.groups[g] for g in slot.groups]
        parts = shape.parts(given, covered) if shape.parts else ()
        if quotes_lines:
            repeated = quote_tokens(given, shape.name, slot.quotes)
            room = slot.budget - repeated - HEADING
            core = max(shape.core, _TOLD) if given.settings.summarizer == "llm" else shape.core
            own = text_room(given, core, room, len(parts))
            aside = {i for g in covered for i in g.messages if given.messages[i].origin == "request"}
            aside |= {quote.message for quote in slot.quotes if quote.message is not None}
            newest = int((room - own) * shape.newest)
            lines, left = quoted_details(given, covered, room, aside, newest)
            slot = replace(slot, own=own, lines=lines)
            self.unused = left - own if given.target is not None else 0
        return replace(slot, parts=parts) if parts or not shape.parts else replace(slot, form="summary")

    # -- the newest messages

    def _by_border(self, rest: list[Group]) -> tuple[list[Group], list[Group]]:
        """The recent groups and the others. What an earlier round wrote is not recent, unless there is
        nothing new to put it together with."""
        older = [g for g in rest if g.messages[-1] < self.border or self.given.is_summary(g)]
        if all(self.given.is_summary(g) for g in older):
            return rest, []
        taken = {g.index for g in older}
        return [g for g in rest if g.index not in taken], older

    def _recent(
        self, rest: list[Group], room: int, heading: int, chosen: Mapping[int, KeptRequest]
    ) -> tuple[list[Decision], list[Group]]:
        """The newest messages whole, or cut when they must be; then older ones as far as there is room. Requests
        have their own room, wherever they stand."""
        if not self.shape.recent:
            return [], rest
        newest, older = self._by_border(rest)
        said: dict[int, Decision] = {}
        if not self.shape.core:
            if sum(g.tokens for g in newest) > room - heading:
                return self._whole(rest, room - heading)
            others = newest
            space = room - heading
        else:
            said, others = self._requests_in(newest, chosen)
            rest_of_room = room - heading - sum(asked.tokens + LABEL for asked in chosen.values())
            share = _BESIDE_MODEL if self.given.settings.summarizer == "llm" else _RECENT_SHARE
            space = int(min((1 - _SUMMARY_SHARE) * room, share * rest_of_room))
            # a summary needs less than what it replaces
            space = max(space, rest_of_room - sum(g.tokens for g in older))
            space = min(space + self.spare, rest_of_room)
            room = rest_of_room
        over: list[Group] = []
        if sum(g.tokens for g in others) > space:
            many = comfortable(self.renderer, others, space)
            recent, over = fit_newest(self.renderer, others, space, many, RECENT)
        else:
            recent = [self.renderer.whole(g, RECENT) for g in others]
            left = room - sum(d.tokens for d in recent)
            left = max(left - (MOST + DETAIL if self.shape.core else heading), min(left, self.spare))
            more, older = self._whole(older, left, smallest=False)
            recent += more
        # of the requests, those behind everything that is not kept stay at their place
        begin = max((g.index for g in over), default=-1)
        recent += [decision for index, decision in said.items() if index > begin]
        stay = {decision.group for decision in recent}
        return recent, [g for g in rest if g.index not in stay]

    def _requests_in(
        self, newest: Sequence[Group], chosen: Mapping[int, KeptRequest]
    ) -> tuple[dict[int, Decision], list[Group]]:
        """The recent requests as they can stand at their place, and the other recent groups. What is older than one
        that cannot is not recent."""
        said: dict[int, Decision] = {}
        others: list[Group] = []
        for group in reversed(newest):
            message = self.given.messages[group.messages[0]]
            if message.origin != "request" or not can_move(message):
                others.append(group)
                continue
            decision = in_place(self.given, group, chosen.get(message.index))
            if decision is None and group.tokens <= SMALLEST:  # a nod
                others.append(group)
                continue
            if decision is None:
                break
            said[group.index] = decision
        return said, others[::-1]

    def _whole(self, groups: list[Group], room: int, *, smallest: bool = True) -> tuple[list[Decision], list[Group]]:
        """The newest groups that fit whole; with `smallest`, the newest one is cut when not even it does."""
        count, used = 0, 0
        for group in reversed(groups):
            used += group.tokens
            if used > room:
                break
            count += 1
        if count or not smallest or not groups:
            kept = groups[len(groups) - count :]
            return [self.renderer.whole(g, RECENT) for g in kept], groups[: len(groups) - count]
        return fit_newest(self.renderer, groups, room, 1, RECENT)

    def _bare(self, kept: dict[int, Decision]) -> tuple[dict[int, Decision], list[SummarySlot]]:
        """No room for anything but what is protected."""
        rest = (g for g in self.given.groups if g.index not in kept)
        return kept | {g.index: Decision(g.index, "gone", 0, "no room for a summary") for g in rest}, []
