"""Seed 000: residuals stay, everything else is cut by recency tier, and older tiers are summarized.

Tier 0 stays whole. From tiers 1 to 3 the newest exchanges stay with their outputs shortened, and a summary replaces the
rest. Tokens that a tier does not use go to the next older one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.budget import TIERS, Budget
from compactor_cli.model.group import Group
from compactor_cli.model.injected import has_instructions
from compactor_cli.model.plan import Decision, Plan, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.finishing import planned_tokens, use_spare_tokens
from compactor_cli.strategies.shared.protected import SUMMARY_RESERVE_TOKENS, keep_protected
from compactor_cli.strategies.shared.renditions import Cut, Renderer, count_fitting, fit_newest, max_size, top_limit
from compactor_cli.strategies.shared.time_order import put_in_time_order

_MAX_OUTPUT_TOKENS = (0, 600, 200, 80)
"""Maximum tokens of a tool output, by tier."""
_MAX_ARGUMENT_CHARS = (0, 1200, 400, 160)
"""Maximum characters of a string in the arguments of a call, by tier."""
_SUMMARY_SHARE = 0.3
"""Share of a tier's allowance that is reserved for its summary."""
_SUMMARY_SHARES = (0.0, 0.2, 0.4, 1.0)
"""The same without a target: the older the tier, the larger the share of its summary."""
_MAX_SUMMARY_TOKENS = 2_500
"""Tokens beyond which a summary says less than the exchanges themselves."""
_MIN_SLOT_TOKENS = 160
"""Tokens below which a summary does not justify its heading and is merged into the next older one."""
_HEADING_SHARE = 0.5
"""Share of a summary that headings may take before what is kept between its messages is moved into it."""
_MIN_MODEL_SLOT_TOKENS = 360
"""The same if a model writes: room for the heading, and for about a hundred words besides the computed parts."""
_MAX_MODEL_SHARE = 0.4
"""Share of tier 0 that may be given up for what a model writes about the oldest tier."""
_MIN_CUT_TOKENS, _MIN_CUT_SHARE = 80, 0.05
"""Minimum tokens, and minimum share of an exchange, that make a part of it worth reading."""
_CALL_LINE_TOKENS = (20, 20, 20, 8)
"""Tokens for each call in a tier's summary, by tier."""
_INSTRUCTIONS = "standing instructions"
_SHORTEST_SLOT_TOKENS = 58
"""Tokens of the shortest heading that says what a summary stands for and what was compacted."""


class Tiered:
    name = "tiered"
    purpose = "residuals and recency tiers (seed 000); older tiers are summarized"
    suits = "runs without a target: cut by age, important messages whole"
    closes = False
    tiers = True
    writes = True
    learned = False

    def plan(self, inputs: PlanInput) -> Plan:
        return _Planner(inputs).plan()


class _Filling(Struct, frozen=True):
    """A tier that is about to be filled."""

    tier: int
    groups: Sequence[Group]
    waiting: Sequence[Group]
    """Groups of newer tiers that the summary of this tier has to cover as well."""
    quota: int
    """Tokens that its own groups may keep."""
    room: int
    """The quota, plus what is left of newer tiers for the waiting groups."""
    min_slot: int
    """Tokens of a summary that justify its heading."""
    is_oldest: bool
    """Whether no older tier has groups."""
    share: float
    """Share of its own tokens for its summary."""
    may_join: bool
    """Whether the summary of an older tier may cover a part that is too small for its own summary."""

    def reserve(self, replaced_tokens: int, sayable_tokens: int) -> int:
        """Return the tokens to reserve for a summary of what does not stay; 0 if the summary of an older tier will
        cover it.

        `replaced_tokens`: tokens of what may be dropped. `sayable_tokens`: tokens that a summary can say about it."""
        if self.may_join and self.room < 2 * self.min_slot and not self.is_oldest:
            return 0
        share = min(int(self.quota * self.share), replaced_tokens // 4, sayable_tokens, _MAX_SUMMARY_TOKENS)
        return min(self.quota, max(self.min_slot - (self.room - self.quota), share))


class _Planner:
    def __init__(self, inputs: PlanInput) -> None:
        self.inputs = inputs
        settings = inputs.settings
        self.renderer = Renderer(inputs.messages, inputs.count, settings.query, inputs.pairing, settings.keep)
        self.target = inputs.target
        self.budget: Budget | None = None
        self.decisions: dict[int, Decision] = {}
        self.slots: list[SummarySlot] = []
        self.demoted: set[int] = set()
        self.tiers: list[list[Group]] = [[] for _ in range(TIERS)]

    def plan(self) -> Plan:
        inputs = self.inputs
        # without a target, summaries of earlier rounds are final and stay
        old_summaries = {g.index for g in inputs.groups if self.target is None and inputs.is_summary(g)}
        protected = [g for g in inputs.groups if g.index in inputs.protected or g.index in old_summaries]
        self._keep_protected(protected)
        self._keep_instructions([g for g in inputs.groups if g.index not in self.decisions and self._instructs(g)])
        kept = inputs.residuals.kept
        self._keep_residuals(
            [g for g in inputs.groups if g.index not in self.decisions and not kept.isdisjoint(g.messages)]
        )
        kept_messages = {i for group in self.decisions for i in inputs.groups[group].messages}
        for group in inputs.groups:
            if group.index not in self.decisions:
                self.tiers[self._tier_of(group)].append(group)
        self._cut_tiers(self._tier_budgets())
        self._in_time_order()
        important = {*inputs.protected, inputs.groups[-1].index}
        self.decisions |= use_spare_tokens(inputs, self.renderer, self.decisions, self.slots, important)
        moved = {g for slot in self.slots for g in slot.groups}
        self.demoted |= {i for g in moved for i in inputs.groups[g].messages} & inputs.residuals.kept
        return Plan(
            strategy=Tiered.name,
            target=self.target if self.target is not None else planned_tokens(self.decisions, self.slots),
            decisions=tuple(self.decisions[g.index] for g in inputs.groups),
            slots=tuple(sorted(self.slots, key=lambda slot: slot.groups[0])),
            outside_tiers=frozenset(kept_messages - {i for g in moved for i in inputs.groups[g].messages}),
            not_whole=frozenset(self.demoted),
        )

    def _in_time_order(self) -> None:
        placed: list[SummarySlot] = []
        for slot in self.slots:
            # if a model writes, every stretch has room for its text
            model = self.inputs.settings.summarizer == "llm" and slot.budget >= _MIN_MODEL_SLOT_TOKENS
            heading, share = (_MIN_MODEL_SLOT_TOKENS, 1.0) if model else (_SHORTEST_SLOT_TOKENS, _HEADING_SHARE)
            self.decisions, split_slots = put_in_time_order(self.inputs, self.decisions, [slot], heading, share)
            placed += split_slots
        self.slots = placed

    def _tier_of(self, group: Group) -> int:
        known = self.inputs.tiers_of(group)
        if known:
            return min(known)
        later = (t for t in self.inputs.tiers[group.messages[0] :] if t is not None)
        return next(later, 0)

    def _keep(self, decisions: Sequence[Decision]) -> int:
        for decision in decisions:
            self.decisions[decision.group] = decision
        return sum(decision.tokens for decision in decisions)

    # -- what must stay

    def _keep_protected(self, groups: list[Group]) -> None:
        reason = self.inputs.protected
        if self.target is None:
            self._keep([Decision.whole(g, reason.get(g.index, "finished summary")) for g in groups])
            return
        self._keep(keep_protected(self.inputs, self.renderer, groups, self.target))

    def _instructs(self, group: Group) -> bool:
        return all(has_instructions(self.inputs.messages[i]) for i in group.messages)

    def _keep_instructions(self, groups: list[Group]) -> None:
        """Keep the standing instructions that a harness inserted: whole if they fit, otherwise the most binding
        parts."""
        if self.target is None:
            self._keep([Decision.whole(g, _INSTRUCTIONS) for g in groups])
        elif groups:
            from compactor_cli.strategies.shared.carried_requests import instructions_in_place

            room = self.target - sum(d.tokens for d in self.decisions.values())
            self._keep([d._replace(reason=_INSTRUCTIONS) for d in instructions_in_place(self.inputs, groups, room)])

    def _keep_residuals(self, groups: list[Group]) -> None:
        """Keep the exchanges of residuals whole. If one is too large, its other messages are shortened; if it still
        does not fit, it is demoted."""
        if self.target is None:
            self._keep([Decision.whole(g, "residual") for g in groups])
            return
        spent_tokens = sum(d.tokens for d in self.decisions.values())
        self.budget = self.inputs.allocate(spent_tokens, sum(g.tokens for g in groups))
        tokens_left = min(self.budget.residuals, self.target - spent_tokens)
        scores, kept = self.inputs.scores, self.inputs.residuals.kept
        best_first = sorted(groups, key=lambda g: (-max(scores[i].raw for i in g.messages if i in kept), -g.index))
        for group in best_first:
            exempt = frozenset(i for i in group.messages if i in kept)
            fitted = self.renderer.fit([group], tokens_left, "residual", prose=False, exempt=exempt)
            if fitted is None:
                self.demoted |= exempt
            else:
                tokens_left -= self._keep(fitted)

    # -- tiers

    def _tier_budgets(self) -> list[int]:
        """Return the tokens that each tier may have."""
        if self.budget is not None and self.target is not None:
            spent_tokens = sum(d.tokens for d in self.decisions.values())
            budgets = list(self.budget.tiers)
            budgets[0] += self.target - spent_tokens - sum(budgets)
            return budgets
        keep = self.inputs.settings.tiers.keep
        return [int(share * sum(g.tokens for g in tier)) for share, tier in zip(keep, self.tiers, strict=True)]

    def _cut_tiers(self, budgets: list[int]) -> None:
        """Cut each tier to its allowance. Groups without a summary of their own wait for that of the next older tier.
        Without a target, they also bring along what is left of their own tier's share, but nothing else."""
        self._reserve_for_summary(budgets)
        carried_tokens = 0
        may_join = self.target is None or self.inputs.settings.summarizer == "llm"
        waiting: list[Group] = []
        for tier, groups in enumerate(self.tiers):
            own_budget = budgets[tier] if self.target is None else budgets[tier] + carried_tokens
            room = budgets[tier] + carried_tokens
            is_oldest = tier == TIERS - 1 or not any(self.tiers[tier + 1 :])
            share = _SUMMARY_SHARE if self.target is not None else _SUMMARY_SHARES[tier]
            # the oldest tier has to say that something is gone
            smallest = _SHORTEST_SLOT_TOKENS if is_oldest else self._min_slot()
            kept, dropped_groups = (
                self._fill_newest(groups, own_budget)
                if tier == 0
                else self._fill_tier(
                    _Filling(tier, groups, waiting, own_budget, room, self._min_slot(), is_oldest, share, may_join)
                )
            )
            room -= self._keep(kept)
            waiting = sorted([*waiting, *dropped_groups], key=lambda g: g.index)
            is_worth_it = is_oldest or not may_join or sum(g.tokens for g in waiting) >= 2 * _MIN_SLOT_TOKENS
            tokens_left = room - self._model_shortfall(budgets[tier + 1 :], is_oldest=is_oldest)
            if waiting and (tier > 0 or is_oldest) and is_worth_it and tokens_left >= smallest:
                room -= self._add_slots(tier, waiting, tokens_left)
                waiting = []
            carried_tokens = room if waiting or self.target is not None else 0
        if waiting and self.target is None and self.slots:
            self._join_summary(waiting, carried_tokens)
            return
        for group in waiting:
            if self.target is None:
                self._keep([Decision.whole(group, "smaller than a summary")])
            else:
                self.decisions[group.index] = Decision.gone(group, "no room for a summary")

    def _min_slot(self) -> int:
        """Return the tokens of a summary that justify its heading. A model needs more of them."""
        return _MIN_MODEL_SLOT_TOKENS if self.inputs.settings.summarizer == "llm" else _MIN_SLOT_TOKENS

    def _model_shortfall(self, older: Sequence[int], *, is_oldest: bool) -> int:
        """Return the tokens that older tiers lack for a summary by a model. The summary of a newer tier must not take
        them."""
        if is_oldest or self.target is None or self.inputs.settings.summarizer != "llm":
            return 0
        return max(0, _MIN_MODEL_SLOT_TOKENS - sum(older))

    def _reserve_for_summary(self, budgets: list[int]) -> None:
        """Reserve tokens for a summary in the oldest tier, if there is a target and not everything fits."""
        if self.target is None:
            return
        oldest = max((tier for tier in range(TIERS) if self.tiers[tier]), default=0)
        needed_tokens = sum(g.tokens for tier in self.tiers for g in tier)
        if oldest and needed_tokens > sum(budgets):
            reserved = _MIN_MODEL_SLOT_TOKENS if self.inputs.settings.summarizer == "llm" else SUMMARY_RESERVE_TOKENS
            if reserved - budgets[oldest] > _MAX_MODEL_SHARE * budgets[0]:
                reserved = SUMMARY_RESERVE_TOKENS
            moved_tokens = max(0, min(reserved - budgets[oldest], budgets[0]))
            budgets[0] -= moved_tokens
            budgets[oldest] += moved_tokens

    def _fill_newest(self, groups: list[Group], room: int) -> tuple[list[Decision], list[Group]]:
        """Keep as many of the newest exchanges as can keep a reasonable part of their outputs. Return their decisions,
        and the other groups."""
        if sum(g.tokens for g in groups) <= room:
            return [Decision.whole(g, "tier 0") for g in groups], []
        count = count_fitting(self.renderer, groups, room)
        if count < len(groups) and not any(self.tiers[1:]):
            room -= max(SUMMARY_RESERVE_TOKENS, int(room * _SUMMARY_SHARE))  # no older tier has room for a summary
        return fit_newest(self.renderer, groups, room, count, "tier 0, newest")

    def _fill_tier(self, filling: _Filling) -> tuple[list[Decision], list[Group]]:
        """Keep an unbroken run of a tier's newest exchanges in the tokens that its summary leaves. Return their
        decisions, and the other groups."""
        tier, groups, room = filling.tier, filling.groups, filling.quota
        tokens_to_replace = sum(g.tokens for g in [*groups, *filling.waiting])
        if sum(g.tokens for g in groups) <= room and not filling.waiting:
            return [Decision.whole(g, f"tier {tier}, fits") for g in groups], []
        reserve = filling.reserve(
            tokens_to_replace, tokens_to_replace if self.target else self._estimate(tier, [*groups, *filling.waiting])
        )
        arguments = Cut(arguments=_MAX_ARGUMENT_CHARS[tier])
        kept: list[Group] = []
        cut_decisions: list[Decision] = []
        used_tokens = upper_bound = 0
        # leave enough for a summary; that of the oldest tier shows a later run that this one is finished
        min_tokens = 2 * (_SHORTEST_SLOT_TOKENS if filling.is_oldest else _MIN_SLOT_TOKENS if reserve else 0)
        for group in reversed(groups):
            if tokens_to_replace - group.tokens < min_tokens:
                if not filling.is_oldest and self._estimate(tier, [group]) < (room - upper_bound) // 2:
                    cut_decisions += self._cut_to(group, room - reserve - upper_bound, f"tier {tier}, newest")
                break
            tokens = self.renderer.tokens(group, arguments)
            new_bound = upper_bound + tokens - group.tokens + max_size(self.renderer, group, _MAX_OUTPUT_TOKENS[tier])
            if new_bound > room - reserve:
                shortened = self._cut_to(group, room - reserve - upper_bound, f"tier {tier}, newest")
                if not shortened:
                    break
                cut_decisions += shortened
                upper_bound += shortened[0].tokens
                tokens_to_replace -= group.tokens
                continue
            upper_bound = new_bound
            used_tokens += tokens
            tokens_to_replace -= group.tokens
            kept.append(group)
        tokens_left = room - reserve if len(kept) + len(cut_decisions) < len(groups) or filling.waiting else room
        # with room to spare, outputs keep more than usual for the tier
        spare_tokens = tokens_left - used_tokens - sum(decision.tokens for decision in cut_decisions)
        limit = top_limit(self.renderer.sizes(kept, "tool_result"), spare_tokens) or 0
        limits = Cut(max(limit, _MAX_OUTPUT_TOKENS[tier]), _MAX_ARGUMENT_CHARS[tier])
        decisions = [self.renderer.shorten(group, limits, f"tier {tier}, newest") for group in kept]
        return [*decisions, *cut_decisions], list(groups[: len(groups) - len(kept) - len(cut_decisions)])

    def _cut_to(self, group: Group, room: int, reason: str) -> list[Decision]:
        """Return the cut exchange at the border if a part worth reading fits; otherwise an empty list. With a target,
        those tokens belong to the summary."""
        if self.target is not None or room < max(_MIN_CUT_TOKENS, int(_MIN_CUT_SHARE * group.tokens)):
            return []
        return self.renderer.fit([group], room, reason, prose=True) or []

    def _add_slots(self, tier: int, groups: list[Group], tokens_left: int) -> int:
        """Replace these groups with a summary, and return its budget. If something between them is kept, the summary is
        split later."""
        budget = min(tokens_left, sum(g.tokens for g in groups) - 1)
        slot = SummarySlot(tier, tuple(g.index for g in groups), budget, passes_on=self.target is not None)
        self.slots.append(slot)
        for group in groups:
            self.decisions[group.index] = Decision.summarized(group, f"tier {tier}")
        return budget

    def _join_summary(self, groups: Sequence[Group], room: int) -> None:
        """Add groups that are too few for a summary of their own to the summary of the next newer tier."""
        last = self.slots.pop()
        joined = [*last.groups, *(group.index for group in groups)]
        self.slots.append(replace(last, groups=tuple(sorted(joined)), budget=last.budget + max(0, room)))
        for group in groups:
            self.decisions[group.index] = Decision.summarized(group, f"tier {last.tier}")

    def _estimate(self, tier: int, groups: Sequence[Group]) -> int:
        """Estimate how many tokens a summary can say about these groups: the messages, and a line for each call. A
        model can also describe the results of tools."""
        if self.inputs.settings.summarizer == "llm":
            return sum(group.tokens for group in groups)
        messages = [self.inputs.messages[i] for group in groups for i in group.messages]
        tokens = sum(m.tokens for m in messages if m.origin == "request")
        tokens += sum(p.tokens for m in messages if m.role == "assistant" for p in m.parts if p.kind == "text")
        return tokens + _CALL_LINE_TOKENS[tier] * sum(len(m.calls) for m in messages)
