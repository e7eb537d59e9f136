"""Keeps what the rest of the session is most likely to need, line by line.

The user's words come first, then the newest exchanges and the state of the work. All other lines compete by the value
that they add per token: every name in the session gets an estimate of how likely the rest needs it, from signals
weighted by a profile. Everything stays in time order. A message stays in place if much of it was chosen, and summaries
between these messages quote the chosen lines of the others.

`_Planner` decides what stays in any case. For the rest, a `Chooser` (`choosing.py`) takes lines and, as a `PlanBuilder`
(`building.py`), decides what happens to each group, again and again until the plan fits its room."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from compactor_cli.errors import BudgetError
from compactor_cli.model.group import Group
from compactor_cli.model.injected import local_commands
from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.planning import NEWEST_EXCHANGE, PlanInput
from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.building import BASED
from compactor_cli.strategies.adaptive.choosing import Chooser
from compactor_cli.strategies.adaptive.conversation import is_small_talk
from compactor_cli.strategies.adaptive.one_summary import OneSummaryChooser
from compactor_cli.strategies.adaptive.small_talk import awaited
from compactor_cli.strategies.shared.chats import is_chat
from compactor_cli.strategies.shared.finishing import finished, widened, without_closing
from compactor_cli.strategies.shared.protected import REQUESTS, is_beside_results, keep_protected
from compactor_cli.strategies.shared.renditions import Renderer, newest_share
from compactor_cli.strategies.shared.rooms import (
    DETAIL,
    LARGE_IN_CHAT,
    LARGE_REQUEST,
    LARGE_ROOM,
    SMALL_REQUEST,
    SMALL_ROOM,
    room_for_older,
    room_for_requests,
)
from compactor_cli.strategies.shared.selection import HEADING
from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.shorten import SMALLEST

_REPORT_SHARE = 0.8
"""Share of the tokens for the newest exchanges that the report of the work may take."""
_REPORT_WHOLE = 0.4
"""Share of a large room up to which such a report stays whole."""
_LARGE_IN_TALK = 0.4
"""Share of a small room up to which the newest message of small talk is kept whole."""
_LEAST_REPORT = 100
"""Minimum tokens of a report that was cut; below that it is not cut but competes line by line."""


class Adaptive:
    name = "adaptive"
    purpose = "keeps the lines that the rest of the session is most likely to need, by learned signals"
    suits = "a token target: keeps as much as fits of what the next turns need"
    closes = False
    tiers = False
    writes = False
    learned = True

    def plan(self, inputs: PlanInput) -> Plan:
        return _Planner(inputs).plan()


def plan_alone(inputs: PlanInput) -> Plan:
    """Return a plan of `adaptive` that keeps nothing in place except what is protected: one summary quotes the rest,
    and ends with the last request.

    If the last request does not fit, or earlier ones lose words that fit into their share, return the normal plan of
    `adaptive`. Raises BudgetError when nothing valid fits."""
    planner = _Planner(inputs, alone=True)
    try:
        plan, last = planner.plan(), planner.last_request()
    except BudgetError:
        return Adaptive().plan(inputs)
    has_last = last < 0 or plan.decisions[last].rendition == "whole" or any(slot.quotes for slot in plan.slots)
    return plan if has_last and not planner.loses_requests else Adaptive().plan(inputs)


class _Planner:
    def __init__(self, inputs: PlanInput, *, alone: bool = False) -> None:
        self.inputs, self.alone = inputs, alone
        self.target = inputs.target if inputs.target is not None else self._implied_target()
        self.renderer = Renderer(inputs.messages, inputs.count, pairing=inputs.pairing, keep=inputs.settings.keep)
        self.loses_requests = False
        """Whether the one summary of the newest plan loses words of the user that would fit."""

    def _implied_target(self) -> int:
        """Return the target that applies without one: everything protected, and each tier's share of the rest."""
        keep, total = self.inputs.settings.tiers.keep, 0.0
        for group in self.inputs.groups:
            tiers = self.inputs.tiers_of(group)
            total += group.tokens * (1.0 if group.index in self.inputs.protected or not tiers else keep[min(tiers)])
        return int(total)

    def plan(self) -> Plan:
        inputs, target = self.inputs, self.target
        if sum(g.tokens for g in inputs.groups) <= target:
            return self._finish(Attempt({g.index: Decision.whole(g, "fits") for g in inputs.groups}, [], 0))
        competing = self._competing_requests()
        protected = [g for g in inputs.groups if g.index in inputs.protected and g.index not in competing]
        large = set() if self.alone else self._large(protected)
        planned = (self._planned(protected, aside, competing) for aside in (large, set[int]()))
        try:
            return self._finish(*next(filter(None, planned)))
        except BudgetError as error:
            raise self._with_least_of_talk(error, protected) from None

    def _with_least_of_talk(self, error: BudgetError, protected: Sequence[Group]) -> BudgetError:
        """Return an error that says how small the output can be if the last message of small talk is cut."""
        last = self._last_plain(protected)
        saved = sum(g.tokens - self._least_of_talk(g) for g in last) if is_small_talk(self.inputs.messages) else 0
        if not saved or error.floor - sum(g.tokens for g in last) > SMALL_ROOM:
            return error
        reason = self.inputs.protected[last[0].index]
        items = tuple((what, tokens - (saved if what == reason else 0)) for what, tokens in error.items)
        return BudgetError(error.target, error.floor - saved, items)

    def _planned(
        self, protected: Sequence[Group], large: set[int], competing: set[int]
    ) -> tuple[Attempt, dict[int, Decision]] | None:
        """Return an attempt for the groups that are not kept before all others, and the decisions on those that are.
        Return None if the minimum of the `large` groups does not fit."""
        inputs = self.inputs
        kept = self._kept(protected, [g for g in protected if g.index in large])
        rest = [g for g in inputs.groups if g.index not in kept]
        room = self.target - sum(d.tokens for d in kept.values())
        newest = self._newest_whole(rest, room, competing) if room > DETAIL and not self.alone else {}
        kept |= newest
        rest = [g for g in rest if g.index not in kept]
        left = room - sum(d.tokens for d in newest.values())
        if sum(g.tokens for g in rest) <= left:
            whole = {g.index: Decision.whole(g, "fits") for g in rest}
            return Attempt(kept | whole, [], 0), kept

        def chooser_of(inputs: PlanInput) -> Chooser:
            if self.alone:
                return OneSummaryChooser(inputs, kept, rest, left)
            report = self._report(left, rest)
            asked = room_for_requests(left, room, sum(m.origin == "request" for m in inputs.messages))
            asked = max(asked, LARGE_IN_CHAT * left) if is_chat(inputs.messages) else asked
            return Chooser(inputs, kept, rest, left, large, report, asked)

        chooser = chooser_of(inputs)
        attempt = chooser.best()
        if inputs.settings.target_ratio is not None and left < BASED and chooser.state and not attempt.slots:
            # a summary that does not have to say what a ratio refers to may have room for the state
            other = chooser_of(replace(inputs, settings=dataclasses.replace(inputs.settings, target_ratio=None)))
            stated = other.best()
            if any(slot.state for slot in stated.slots):
                chooser, attempt = other, stated
        if large and attempt.tokens > left:
            return None
        self.loses_requests = isinstance(chooser, OneSummaryChooser) and chooser.loses_requests(attempt)
        return chooser.explained(attempt) if inputs.explains else attempt, kept

    def _newest_whole(self, rest: Sequence[Group], room: int, competing: set[int]) -> dict[int, Decision]:
        """Return the newest groups that stay whole, if there is more room than is given out line by line. What the user
        said before them gets its room first."""
        asking = {g.index: g.tokens + HEADING for g in rest if g.index in competing} if self._worked() else {}
        asked, left = sum(asking.values()), room
        newest: dict[int, Decision] = {}
        for group in reversed(rest):
            asked -= asking.get(group.index, 0)
            if left - group.tokens < room_for_older(asked, room):
                break
            newest[group.index] = Decision.whole(group, NEWEST_EXCHANGE)
            left -= group.tokens
        return newest

    def _worked(self) -> bool:
        """Return whether the agent did more than talk."""
        return any(part.kind == "tool_call" for message in self.inputs.messages for part in message.parts)

    def _report(self, room: int, rest: Sequence[Group]) -> Decision | None:
        """Return the decision on the agent's report at the very end of its work, cut if it is long. Return None if
        there is no such report among `rest`, or if only splinters of it would be left. Commands that a harness ran
        without the model may follow it."""
        inputs, local = self.inputs, local_commands(self.inputs.messages)
        newest = next((g for g in reversed(inputs.groups) if not local.issuperset(g.messages)), inputs.groups[-1])
        messages = [inputs.messages[i] for i in newest.messages]
        if newest not in rest or inputs.target is None or not self._worked():
            return None
        if any(m.role != "assistant" or m.calls for m in messages):
            return None
        limit = int(_REPORT_SHARE * newest_share(room))
        limit = newest.tokens if room > LARGE_ROOM and newest.tokens <= _REPORT_WHOLE * room else limit
        if newest.tokens > limit < _LEAST_REPORT:
            return None  # only splinters would be left; its lines compete with others instead
        fitted = self.renderer.fit([newest], limit, NEWEST_EXCHANGE, prose=True)
        return fitted[0] if fitted else None

    def _competing_requests(self) -> set[int]:
        """Return the requests whose lines compete with each other: all except the last one, which stays in place unless
        results of tools stand in its message. Earlier summaries are included, because they repeat requests."""
        inputs = self.inputs
        if inputs.target is None:
            return set()
        requests = {
            g.index
            for g in inputs.groups
            if inputs.protected.get(g.index) in (None, *REQUESTS)
            and (_is_plain_request(inputs, g) or inputs.is_summary(g))
        }
        requests = requests if self.alone else requests - {self.last_request()}
        return requests | {g.index for g in inputs.groups if is_beside_results(inputs, g)}

    def last_request(self) -> int:
        """Return the group of the newest request that is protected as a request, or -1 if there is none."""
        reasons = self.inputs.protected
        requests = (
            g.index for g in self.inputs.groups if reasons.get(g.index) in REQUESTS and not self.inputs.is_summary(g)
        )
        return max(requests, default=-1)

    def _last_plain(self, protected: Sequence[Group]) -> list[Group]:
        """Return, in a list, the group of the last request if it consists only of text."""
        newest = self.last_request()
        return [g for g in protected if g.index == newest and _is_plain_request(self.inputs, g)]

    def _large(self, protected: Sequence[Group]) -> set[int]:
        """Return the group of the last request if it would leave too little room for the rest; then only its binding
        lines are kept. Return an empty set if not even those would fit."""
        if self.inputs.target is None:
            return set()
        last = self._last_plain(protected)
        try:
            others = sum(decision.tokens for decision in self._kept(protected, last).values())
        except BudgetError:
            return set()
        room = self.target - others
        if room <= SMALL_ROOM and is_small_talk(self.inputs.messages):
            large = [g for g in last if g.tokens > _LARGE_IN_TALK * room]
            needed = others + sum(map(self._least_of_talk, large))
        else:
            share = LARGE_IN_CHAT if is_chat(self.inputs.messages) else LARGE_REQUEST
            large = [g for g in last if g.tokens > max(SMALL_REQUEST, share * room)]
            needed = others + sum(map(self._least, large))
        return {g.index for g in large} if needed <= self.target else set()

    def _kept(self, protected: Sequence[Group], large: Sequence[Group]) -> dict[int, Decision]:
        """Return the decisions on protected groups, except those in `large`. Raises BudgetError when nothing valid
        fits."""
        aside = frozenset(group.index for group in large)
        kept = keep_protected(self.inputs, self.renderer, protected, self.target, aside)
        return {decision.group: decision for decision in kept}

    def _least(self, group: Group) -> int:
        """Return the minimum tokens of a request: parts that have no place, or are small, are never cut."""
        parts = [part for i in group.messages for part in self.inputs.messages[i].parts]
        cut = sum(max(0, p.tokens - SMALLEST * 2) for p in parts if p.place is not None and not p.edited)
        return max(SMALLEST * 2, group.tokens - cut)

    def _least_of_talk(self, group: Group) -> int:
        """Return the tokens of a message of small talk cut to the sentences that stay in any case (`awaited`), or all
        its tokens if it cannot be cut like that."""
        texts = [part for i in group.messages for part in self.inputs.messages[i].parts if part.tokens]
        said = [clause.text for part in texts for clause in split_clauses(part.text)]
        stay = [said[at] for at in awaited(said)]
        if len(texts) > 1 or len(stay) == len(said):
            return group.tokens
        return group.tokens - texts[0].tokens + sum(self.inputs.count(f" … {text}") for text in stay) + 1

    def _finish(self, attempt: Attempt, kept: Iterable[int] = ()) -> Plan:
        """Return the plan of an attempt. Tokens that it leaves go to the groups in `kept` that were cut before all
        others."""
        inputs = self.inputs
        if inputs.target is None and not attempt.slots:
            # nothing would show that it was cut already, and the next run would cut it again
            whole = {g.index: Decision.whole(g, "too little to cut") for g in inputs.groups}
            attempt = replace(attempt, decisions=whole)
        decisions = attempt.decisions | without_closing(inputs, attempt.decisions)
        decisions |= widened(inputs, self.renderer, decisions, attempt.slots, kept)
        return finished(inputs, Adaptive.name, decisions, attempt.slots, target=self.target)


def _is_plain_request(inputs: PlanInput, group: Group) -> bool:
    """Return whether a group consists only of text: what the user said, and what a harness added to it."""
    messages = [inputs.messages[i] for i in group.messages]
    origins = {message.origin for message in messages}
    is_request = "request" in origins and origins <= {"request", "injected"}
    return is_request and all(part.kind == "text" and not part.images for m in messages for part in m.parts)
