"""Keeps what the rest of the session is most likely to need, line by line.

Every name in the session has an estimate of how likely the rest needs it (signals weighed by a
profile). Lines are chosen by the value they add per token; a group of which much was chosen stays at
its place, whole or with its other lines left out, and of the rest the chosen lines are quoted in a
summary.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Plan, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.signals import musts
from compactor_cli.signals.evidence import gather
from compactor_cli.signals.lines import Lines, read_session
from compactor_cli.signals.selection import Choice, Selector, densest
from compactor_cli.signals.values import Values
from compactor_cli.strategies.details import DETAIL, REACH
from compactor_cli.strategies.native import Native
from compactor_cli.strategies.protected import REQUESTS, keep_protected
from compactor_cli.strategies.quoting import Quoter
from compactor_cli.strategies.renditions import Renderer
from compactor_cli.text.shorten import SMALLEST

_PRESENT = 4
"""Newest groups that stay at their place where that is cheap: the work as it stands."""
_PRESENT_SHARE = 0.06
"""Share of the room that these may take before any of their lines is chosen."""
_MOSTLY = 0.6
"""Share of a group's tokens from which on it is worth a try to keep it at its place."""
_OVERHEAD = 3
"""Tokens that a group at its place may take more than its lines in a summary."""
_REQUEST_SHARE = 0.25
"""Share of the room that all requests may take together for being that."""
_FACT_SHARE = 0.1
"""Share of the room that changed files, and errors, may take for being that."""
_LARGE_REQUEST = 0.5
"""Share of the room above which the first or last request is not kept whole."""
_SMALL_REQUEST = 100
"""Tokens of a request that is kept whole whatever its share."""
_TINY = 600
"""Tokens of room that are given out by value alone."""
_BASED = 300
"""Tokens of room from which on a summary says what the transcript was compacted from."""
_SMALLEST_LINE = 6
"""Tokens below which no line is looked for."""
_REQUEST = "large request of the user"
_ATTEMPTS = 6
"""Plans that are costed to come close to the target."""


class Adaptive:
    name = "adaptive"
    purpose = "keeps the lines that the rest of the session is most likely to need, by learned signals"
    suits = "a token target: as much of what comes next needs as fits"
    closes = False
    writes = False
    learned = True

    def plan(self, given: PlanInput) -> Plan:
        return _Planner(given).plan()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A plan that has been costed."""

    decisions: dict[int, Decision]
    slots: list[SummarySlot]
    tokens: int
    chosen: dict[int, list[Choice]] = field(default_factory=dict)
    """Group -> the lines that were taken of it."""


class _Planner:
    def __init__(self, given: PlanInput) -> None:
        self.given = given
        self.target = given.target if given.target is not None else self._implied_target()
        self.renderer = Renderer(given.messages, given.count, given.per_image)

    def _implied_target(self) -> int:
        """Without a target: what is protected, and each tier's share of the rest."""
        keep, total = self.given.settings.tiers.keep, 0.0
        for group in self.given.groups:
            tiers = self.given.tiers_of(group)
            total += group.tokens * (1.0 if group.index in self.given.protected or not tiers else keep[min(tiers)])
        return int(total)

    def plan(self) -> Plan:
        given, target = self.given, self.target
        if sum(g.tokens for g in given.groups) <= target:
            return self._finish(_Attempt({g.index: self.renderer.whole(g, "fits") for g in given.groups}, [], 0))
        protected = [g for g in given.groups if g.index in given.protected]
        large = self._large_requests(protected)
        kept = {d.group: d for d in keep_protected(given, self.renderer, protected, target, frozenset(large))}
        rest = [g for g in given.groups if g.index not in kept]
        room = target - sum(d.tokens for d in kept.values())
        for group in reversed(rest if room > DETAIL else ()):
            if room - group.tokens < DETAIL:
                break
            kept[group.index] = self.renderer.whole(group, "newest")
            room -= group.tokens
        rest = [g for g in rest if g.index not in kept]
        if sum(g.tokens for g in rest) <= room:
            kept |= {g.index: self.renderer.whole(g, "fits") for g in rest}
            return self._finish(_Attempt(kept, [], 0))
        chooser = _Chooser(given, kept, rest, room, large)
        best = chooser.best()
        return self._finish(replace(best, decisions=chooser.explained(best)))

    def _large_requests(self, protected: Sequence[Group]) -> set[int]:
        """Requests that would leave too little room for everything else: their lines have to be worth it.

        None when there is not even room for what is left of them.
        """
        if self.given.target is None:
            return set()
        reasons = self.given.protected
        others = sum(g.tokens for g in protected if reasons[g.index] not in REQUESTS)
        room = self.target - others
        large = [
            g
            for g in protected
            if reasons[g.index] in REQUESTS and g.tokens > max(_SMALL_REQUEST, _LARGE_REQUEST * room)
            if all(self.given.messages[i].origin != "summary" for i in g.messages)  # it carries a request in full
            if not any(part.images or part.kind == "image" for i in g.messages for part in self.given.messages[i].parts)
        ]
        needed = sum(g.tokens for g in protected if g not in large) + SMALLEST * 2 * len(large)
        return {g.index for g in large} if needed <= self.target else set()

    def _finish(self, attempt: _Attempt) -> Plan:
        given = self.given
        if given.target is None and not attempt.slots:
            # nothing would say that it has been cut already, and the next run would cut it again
            attempt = _Attempt({g.index: self.renderer.whole(g, "too little to cut") for g in given.groups}, [], 0)
        decisions = tuple(attempt.decisions[g.index] for g in given.groups)
        lost = {i for d in decisions if d.rendition != "whole" for i in given.groups[d.group].messages}
        return Plan(
            strategy=Adaptive.name,
            target=self.target,
            decisions=decisions,
            slots=tuple(attempt.slots),
            demoted=frozenset(lost & given.residuals.kept),
        )


class _Chooser:
    """Chooses lines for the groups that are not protected, and what becomes of the groups."""

    def __init__(
        self, given: PlanInput, kept: dict[int, Decision], rest: list[Group], room: int, large: set[int]
    ) -> None:
        assert given.profile is not None
        self.given, self.kept, self.rest, self.room = given, kept, rest, room
        self.group_of = {i: g.index for g in given.groups for i in g.messages}
        session = read_session(given.messages, REACH, given.settings.query)
        evidence = gather(given.messages, session)
        self.changes = evidence.changes
        self.values = Values(session, evidence, given.profile)
        fixed = frozenset(i for g in kept for i in given.groups[g].messages)
        self.lines = Lines(session, self.values.of, fixed)
        covered = {t: None for p in session.pieces if p.message in fixed for t in p.names}
        self.selector = Selector(self.lines, self.values.of, given.count, covered)
        self.native = Native(given.messages, self.lines, given.count)
        self.large = large
        # summaries of earlier rounds go into the new one: their numbers would mislead beside it
        self.folded = {g.index for g in rest if given.is_summary(g)}
        self.present = self._present() | large
        self.whole: set[int] = set()
        # a ratio refers to what the first round started from; a target in tokens does without that
        based = room >= _BASED or given.settings.target_ratio is not None or given.target is None
        self.quoter = Quoter(given, self.lines, based=based)

    def _present(self) -> set[int]:
        """The newest message and the exchanges with tools before it, as long as they are cheap with all
        their lines left out."""
        present: set[int] = set()
        left = self.room * _PRESENT_SHARE
        newest = self.rest[max(0, len(self.rest) - _PRESENT) :]
        for group in (g for g in reversed(newest) if len(g.messages) > 1):
            left -= self.native.render(group, (), "").tokens
            if left < 0:
                break
            present.add(group.index)
        return present

    def best(self) -> _Attempt:
        """As many of the best lines as the room allows, exactly counted."""
        self._take_musts()
        frame = self.quoter.frame(self.rest)
        room = int((self.room - frame) * 1.1) + 60
        self.selector.fill(densest(self.lines, room), room - sum(c.cost for c in self.selector.taken.values()))
        order = list(self.selector.taken.values())
        best = self._build([])
        return self._nothing() if best.tokens > self.room else self._fit(order, best)

    def _fit(self, order: list[Choice], best: _Attempt) -> _Attempt:
        """The longest beginning of `order` that fits, found by interpolation; what is built is counted
        exactly."""
        below = [0, *accumulate(choice.cost for choice in order)]
        low, high, attempt = 0, len(order), self._build(order)
        at_low, at_high = best.tokens, attempt.tokens
        if attempt.tokens <= self.room:
            return self._spend(order, attempt)
        for _ in range(_ATTEMPTS):
            share = (self.room - at_low) / max(1, at_high - at_low)
            wanted = below[low] + share * (below[high] - below[low]) - 4
            count = max(low + 1, min(high - 1, bisect_right(below, wanted) - 1))
            if not low < count < high:
                break
            attempt = self._build(order[:count])
            if attempt.tokens <= self.room:
                low, at_low, best = count, attempt.tokens, attempt
            else:
                high, at_high = count, attempt.tokens
            if best.tokens > self.room * 0.99:
                break
        return self._top_up(order, low, best)

    def _top_up(self, order: list[Choice], count: int, best: _Attempt) -> _Attempt:
        """Small lines further down the order, where the next one is too large for what is left."""
        chosen = order[:count]
        left = self.room - best.tokens
        for choice in order[count + 1 :]:
            if left < _SMALLEST_LINE:
                break
            if choice.cost <= left:
                chosen.append(choice)
                left -= choice.cost
        attempt = self._build(chosen) if len(chosen) > count else best
        return attempt if attempt.tokens <= self.room else best

    def _spend(self, order: list[Choice], attempt: _Attempt) -> _Attempt:
        """Room is left when every line that is worth anything was taken: the newest groups stay whole."""
        left = self.room - attempt.tokens
        for group in reversed(self.rest):
            decision = attempt.decisions[group.index]
            if group.index in self.folded:
                continue
            if decision.rendition != "whole" and group.tokens - decision.tokens <= left:
                left -= group.tokens - decision.tokens
                self.whole.add(group.index)
        more = self._build(order)
        return more if more.tokens <= self.room else attempt

    def _take_musts(self) -> None:
        """Requests when there is room for all of them, else they go by value like everything else;
        changed files and errors from the newest on."""
        messages, lines, room = self.given.messages, self.lines, self.room - _TINY
        asked = list(musts.requests(messages, lines))
        for group in (g for g in asked if self.group_of[lines.message(g[0])] in self.large):
            self._take(group[:1])
        if sum(self.selector.cost(line) for group in asked for line in group) <= room * _REQUEST_SHARE:
            for group in asked:
                self._take(group)
        for found in (musts.changed_files(self.changes, lines), musts.errors(messages, lines)):
            left = room * _FACT_SHARE
            for group in found:
                if sum(self.selector.cost(line) for line in group) <= left:
                    left -= self._take(group)

    def _take(self, group: Iterable[int]) -> int:
        return sum(self.selector.take(line) for line in group)

    def _nothing(self) -> _Attempt:
        """No room for anything but what is protected."""
        decisions = {g.index: Decision(g.index, "gone", 0, "no room for a summary") for g in self.rest}
        decisions |= {g.index: self.native.render(g, (), _REQUEST) for g in self.rest if g.index in self.large}
        return _Attempt(self.kept | decisions, [], 0)

    def _build(self, chosen: list[Choice]) -> _Attempt:
        """What becomes of every group when these lines are taken."""
        by_group: dict[int, list[Choice]] = {}
        for choice in chosen:
            by_group.setdefault(self.group_of[self.lines.message(choice.line)], []).append(choice)
        taken = {choice.line for choice in chosen}
        decisions = dict(self.kept)
        quoted: list[Group] = []
        used = 0
        for group in self.rest:
            own = by_group.get(group.index, [])
            stays = group.index not in self.folded and (own or group.index in self.present or group.index in self.whole)
            decision = self._in_place(group, own, taken) if stays else None
            if decision is None:
                quoted.append(group)
            else:
                decisions[group.index] = decision
                used += decision.tokens
        slots = []
        for slot in self.quoter.slots(quoted, by_group, decisions):
            covered = [self.given.groups[g] for g in slot.groups]
            if slot.budget < sum(g.tokens for g in covered):
                slots.append(slot)
            else:  # a summary of them would take more than they do
                decisions |= {g.index: Decision(g.index, "whole", g.tokens, "smaller than a summary") for g in covered}
                used += sum(g.tokens for g in covered)
        quoted = [g for g in quoted if g.index not in decisions]
        for group in quoted:
            decisions[group.index] = self._summarized(group, by_group.get(group.index, []))
        used += sum(slot.budget for slot in slots)
        return _Attempt(decisions, slots, used, by_group)

    def _in_place(self, group: Group, own: list[Choice], taken: set[int]) -> Decision | None:
        """The group at its place, where that takes no more than to quote what was chosen of it."""
        quoted = sum(choice.cost for choice in own)
        present = group.index in self.present
        if group.tokens <= quoted + _OVERHEAD or group.index in self.whole:
            decision = Decision(group.index, "whole", group.tokens, "worth its tokens")
        elif present or quoted > _MOSTLY * group.tokens:
            why = "newest" if present else "most of it is worth its tokens"
            why = _REQUEST if group.index in self.large else why
            decision = self.native.render(group, taken, why)
            if not present and decision.tokens > quoted + _OVERHEAD:
                return None
        else:
            return None
        return decision._replace(value=round(sum(choice.value for choice in own), 3))

    def _summarized(self, group: Group, own: list[Choice]) -> Decision:
        if not own:
            return Decision(group.index, "summarized", 0, "no line of it is worth its tokens", value=0.0)
        reason = f"{len(own)} line{'s' * (len(own) > 1)} quoted, {sum(c.cost for c in own):,} tokens"
        value = round(sum(c.value for c in own), 3)
        return Decision(group.index, "summarized", 0, reason, value=value)

    def explained(self, attempt: _Attempt) -> dict[int, Decision]:
        """The decisions with the names that made the value of what is kept."""
        decisions = dict(attempt.decisions)
        for group, own in attempt.chosen.items():
            terms = [term for choice in own for term in self.lines.terms(choice.line)]
            decisions[group] = decisions[group]._replace(signals=self.values.explain(terms))
        return decisions
