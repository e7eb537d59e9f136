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
from compactor_cli.strategies.adaptive import Adaptive
from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.building import BASE_ROOM
from compactor_cli.strategies.adaptive.choosing import Chooser
from compactor_cli.strategies.adaptive.conversation import is_small_talk
from compactor_cli.strategies.adaptive.one_summary import OneSummaryChooser
from compactor_cli.strategies.adaptive.small_talk import required_sentences
from compactor_cli.strategies.shared.chats import has_calls, is_chat
from compactor_cli.strategies.shared.finishing import drop_closing_turn, make_plan, use_spare_tokens
from compactor_cli.strategies.shared.protected import REQUEST_REASONS, is_beside_results, keep_protected
from compactor_cli.strategies.shared.renditions import Renderer, newest_tokens
from compactor_cli.strategies.shared.rooms import (
    DETAIL_TOKENS,
    LARGE_CHAT_SHARE,
    LARGE_REQUEST_SHARE,
    LARGE_ROOM,
    SMALL_REQUEST_TOKENS,
    SMALL_ROOM,
    room_for_older,
    room_for_requests,
)
from compactor_cli.strategies.shared.selection import QUOTE_HEADING_TOKENS
from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.shorten import MIN_TOKENS

_REPORT_SHARE = 0.8
"""Share of the tokens for the newest exchanges that the report of the work may take."""
_WHOLE_REPORT_SHARE = 0.4
"""Share of a large room up to which such a report stays whole."""
_WHOLE_TALK_SHARE = 0.4
"""Share of a small room up to which the newest message of small talk is kept whole."""
_MIN_REPORT_TOKENS = 100
"""Minimum tokens of a report that was cut; below that it is not cut but competes line by line."""


def plan_adaptive(inputs: PlanInput) -> Plan:
    """Return the plan of `adaptive`. Raises BudgetError when nothing valid fits."""
    return _Planner(inputs).plan()


def plan_one_summary(inputs: PlanInput) -> Plan:
    """Return a plan of `adaptive` that keeps nothing in place except what is protected: one summary quotes the rest,
    and ends with the last request.

    If the last request does not fit, or earlier ones lose words that fit into their share, return the normal plan of
    `adaptive`. Raises BudgetError when nothing valid fits."""
    planner = _Planner(inputs, one_summary=True)
    try:
        plan, last_group = planner.plan(), planner.last_request_group()
    except BudgetError:
        return plan_adaptive(inputs)
    keeps_last_request = (
        last_group < 0 or plan.decisions[last_group].rendition == "whole" or any(slot.quotes for slot in plan.slots)
    )
    return plan if keeps_last_request and not planner.loses_requests else plan_adaptive(inputs)


class _Planner:
    def __init__(self, inputs: PlanInput, *, one_summary: bool = False) -> None:
        self.inputs, self.one_summary = inputs, one_summary
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
        large = set() if self.one_summary else self._large_last_request(protected)
        attempts = (self._attempt(protected, large_groups, competing) for large_groups in (large, set[int]()))
        try:
            return self._finish(*next(filter(None, attempts)))
        except BudgetError as error:
            raise self._lower_floor(error, protected) from None

    def _lower_floor(self, error: BudgetError, protected: Sequence[Group]) -> BudgetError:
        """Return an error that says how small the output can be if the last message of small talk is cut."""
        last = self._last_text_request(protected)
        saved = sum(g.tokens - self._min_talk_tokens(g) for g in last) if is_small_talk(self.inputs.messages) else 0
        if not saved or error.floor - sum(g.tokens for g in last) > SMALL_ROOM:
            return error
        reason = self.inputs.protected[last[0].index]
        items = tuple((label, tokens - (saved if label == reason else 0)) for label, tokens in error.items)
        return BudgetError(error.target, error.floor - saved, items)

    def _attempt(
        self, protected: Sequence[Group], large: set[int], competing: set[int]
    ) -> tuple[Attempt, dict[int, Decision]] | None:
        """Return an attempt for the groups that are not kept before all others, and the decisions on those that are.
        Return None if the minimum of the `large` groups does not fit."""
        inputs = self.inputs
        kept = self._protect(protected, [g for g in protected if g.index in large])
        other_groups = [g for g in inputs.groups if g.index not in kept]
        room = self.target - sum(d.tokens for d in kept.values())
        newest_groups = (
            self._whole_groups(other_groups, room, competing) if room > DETAIL_TOKENS and not self.one_summary else {}
        )
        kept |= newest_groups
        other_groups = [g for g in other_groups if g.index not in kept]
        budget = room - sum(d.tokens for d in newest_groups.values())
        if sum(g.tokens for g in other_groups) <= budget:
            whole_decisions = {g.index: Decision.whole(g, "fits") for g in other_groups}
            return Attempt(kept | whole_decisions, [], 0), kept

        def make_chooser(inputs: PlanInput) -> Chooser:
            if self.one_summary:
                return OneSummaryChooser(inputs, kept, other_groups, budget)
            report = self._report_decision(budget, other_groups)
            reserved = room_for_requests(budget, room, sum(m.origin == "request" for m in inputs.messages))
            reserved = max(reserved, LARGE_CHAT_SHARE * budget) if is_chat(inputs.messages) else reserved
            return Chooser(inputs, kept, other_groups, budget, large, report, reserved)

        chooser = make_chooser(inputs)
        attempt = chooser.best()
        if inputs.settings.target_ratio is not None and budget < BASE_ROOM and chooser.state and not attempt.slots:
            # a summary that does not have to say what a ratio refers to may have room for the state
            second = make_chooser(replace(inputs, settings=dataclasses.replace(inputs.settings, target_ratio=None)))
            stated_attempt = second.best()
            if any(slot.state for slot in stated_attempt.slots):
                chooser, attempt = second, stated_attempt
        if large and attempt.tokens > budget:
            return None
        self.loses_requests = isinstance(chooser, OneSummaryChooser) and chooser.loses_requests(attempt)
        return chooser.explained(attempt) if inputs.explain_values else attempt, kept

    def _whole_groups(self, groups: Sequence[Group], room: int, competing: set[int]) -> dict[int, Decision]:
        """Return the newest groups that stay whole, if there is more room than is given out line by line. What the user
        said before them gets its room first."""
        request_tokens = (
            {g.index: g.tokens + QUOTE_HEADING_TOKENS for g in groups if g.index in competing}
            if has_calls(self.inputs.messages)
            else {}
        )
        tokens_asked, budget = sum(request_tokens.values()), room
        decisions: dict[int, Decision] = {}
        for group in reversed(groups):
            tokens_asked -= request_tokens.get(group.index, 0)
            if budget - group.tokens < room_for_older(tokens_asked, room):
                break
            decisions[group.index] = Decision.whole(group, NEWEST_EXCHANGE)
            budget -= group.tokens
        return decisions

    def _report_decision(self, room: int, rest: Sequence[Group]) -> Decision | None:
        """Return the decision on the agent's report at the very end of its work, cut if it is long. Return None if
        there is no such report among `rest`, or if only splinters of it would be left. Commands that a harness ran
        without the model may follow it."""
        inputs, local = self.inputs, local_commands(self.inputs.messages)
        last_group = next((g for g in reversed(inputs.groups) if not local.issuperset(g.messages)), inputs.groups[-1])
        messages = [inputs.messages[i] for i in last_group.messages]
        if last_group not in rest or inputs.target is None or not has_calls(self.inputs.messages):
            return None
        if any(m.role != "assistant" or m.calls for m in messages):
            return None
        limit = int(_REPORT_SHARE * newest_tokens(room))
        limit = last_group.tokens if room > LARGE_ROOM and last_group.tokens <= _WHOLE_REPORT_SHARE * room else limit
        if last_group.tokens > limit < _MIN_REPORT_TOKENS:
            return None  # only splinters would be left; its lines compete with others instead
        fitted = self.renderer.fit([last_group], limit, NEWEST_EXCHANGE, prose=True)
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
            if inputs.protected.get(g.index) in (None, *REQUEST_REASONS)
            and (_is_plain_request(inputs, g) or inputs.is_summary(g))
        }
        requests = requests if self.one_summary else requests - {self.last_request_group()}
        return requests | {g.index for g in inputs.groups if is_beside_results(inputs, g)}

    def last_request_group(self) -> int:
        """Return the group of the newest request that is protected as a request, or -1 if there is none."""
        reasons = self.inputs.protected
        requests = (
            g.index
            for g in self.inputs.groups
            if reasons.get(g.index) in REQUEST_REASONS and not self.inputs.is_summary(g)
        )
        return max(requests, default=-1)

    def _last_text_request(self, protected: Sequence[Group]) -> list[Group]:
        """Return, in a list, the group of the last request if it consists only of text."""
        last_group = self.last_request_group()
        return [g for g in protected if g.index == last_group and _is_plain_request(self.inputs, g)]

    def _large_last_request(self, protected: Sequence[Group]) -> set[int]:
        """Return the group of the last request if it would leave too little room for the rest; then only its binding
        lines are kept. Return an empty set if not even those would fit."""
        if self.inputs.target is None:
            return set()
        last = self._last_text_request(protected)
        try:
            others = sum(decision.tokens for decision in self._protect(protected, last).values())
        except BudgetError:
            return set()
        room = self.target - others
        if room <= SMALL_ROOM and is_small_talk(self.inputs.messages):
            large = [g for g in last if g.tokens > _WHOLE_TALK_SHARE * room]
            min_tokens = others + sum(map(self._min_talk_tokens, large))
        else:
            share = LARGE_CHAT_SHARE if is_chat(self.inputs.messages) else LARGE_REQUEST_SHARE
            large = [g for g in last if g.tokens > max(SMALL_REQUEST_TOKENS, share * room)]
            min_tokens = others + sum(map(self._min_request_tokens, large))
        return {g.index for g in large} if min_tokens <= self.target else set()

    def _protect(self, protected: Sequence[Group], large: Sequence[Group]) -> dict[int, Decision]:
        """Return the decisions on protected groups, except those in `large`. Raises BudgetError when nothing valid
        fits."""
        excluded = frozenset(group.index for group in large)
        decisions = keep_protected(self.inputs, self.renderer, protected, self.target, excluded)
        return {decision.group: decision for decision in decisions}

    def _min_request_tokens(self, group: Group) -> int:
        """Return the minimum tokens of a request: parts that have no place, or are small, are never cut."""
        parts = [part for i in group.messages for part in self.inputs.messages[i].parts]
        removable_tokens = sum(max(0, p.tokens - MIN_TOKENS * 2) for p in parts if p.place is not None and not p.edited)
        return max(MIN_TOKENS * 2, group.tokens - removable_tokens)

    def _min_talk_tokens(self, group: Group) -> int:
        """Return the tokens of a message of small talk cut to the sentences that stay in any case
        (`required_sentences`), or all its tokens if it cannot be cut like that."""
        texts = [part for i in group.messages for part in self.inputs.messages[i].parts if part.tokens]
        sentences = [clause.text for part in texts for clause in split_clauses(part.text)]
        required = [sentences[index] for index in required_sentences(sentences)]
        if len(texts) > 1 or len(required) == len(sentences):
            return group.tokens
        return group.tokens - texts[0].tokens + sum(self.inputs.count(f" … {text}") for text in required) + 1

    def _finish(self, attempt: Attempt, kept: Iterable[int] = ()) -> Plan:
        """Return the plan of an attempt. Tokens that it leaves go to the groups in `kept` that were cut before all
        others."""
        inputs = self.inputs
        if inputs.target is None and not attempt.slots:
            # nothing would show that it was cut already, and the next run would cut it again
            whole = {g.index: Decision.whole(g, "too little to cut") for g in inputs.groups}
            attempt = replace(attempt, decisions=whole)
        decisions = attempt.decisions | drop_closing_turn(inputs, attempt.decisions)
        decisions |= use_spare_tokens(inputs, self.renderer, decisions, attempt.slots, kept)
        return make_plan(inputs, Adaptive.name, decisions, attempt.slots, target=self.target)


def _is_plain_request(inputs: PlanInput, group: Group) -> bool:
    """Return whether a group consists only of text: what the user said, and what a harness added to it."""
    messages = [inputs.messages[i] for i in group.messages]
    origins = {message.origin for message in messages}
    is_request = "request" in origins and origins <= {"request", "injected"}
    return is_request and all(part.kind == "text" and not part.images for m in messages for part in m.parts)
