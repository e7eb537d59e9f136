"""Keeps what the rest of the session is most likely to need, line by line.

Every name in the session has an estimate of how likely the rest needs it (signals weighed by a
profile). Lines are chosen by the value they add per token; a group of which much was chosen stays at
its place, whole or with its other lines left out, and of the rest the chosen lines are quoted in a
summary.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from math import log

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Plan, SummarySlot
from compactor_cli.model.planning import PlanInput
from compactor_cli.model.profile import Profile
from compactor_cli.signals import musts
from compactor_cli.signals.evidence import Evidence, gather
from compactor_cli.signals.lines import Lines, Session, read_session
from compactor_cli.signals.selection import Choice, Selector
from compactor_cli.signals.signals import Weigher
from compactor_cli.strategies.native import Native
from compactor_cli.strategies.protected import REQUESTS, keep_protected
from compactor_cli.strategies.renditions import Renderer
from compactor_cli.text.excerpts import Excerpt, legend, quote
from compactor_cli.text.headers import Base, header

_WORD = 0.002
"""Value of the rarest word, beside the 0 to 1 of a name."""
_PRESENT = 4
"""Newest groups that stay at their place where that is cheap: the work as it stands."""
_PRESENT_SHARE = 0.06
"""Share of the room that these may take before any of their lines is chosen."""
_MOSTLY = 0.6
"""Share of a group's tokens from which on it is worth a try to keep it at its place."""
_OVERHEAD = 3
"""Tokens that a group at its place may take more than its lines in a summary."""
_MUST_SHARES = (0.2, 0.1, 0.1)
"""Shares of the room that requests, changed files and errors may take for being that."""
_SPARE = 6
"""Tokens that a summary may need beyond its text as planned: overhead, and a reference of other digits."""
_LARGE_REQUEST = 0.3
"""Share of the room above which the first or last request is not kept whole."""
_SMALL_REQUEST = 100
"""Tokens of a request that is kept whole whatever its share."""
_TINY = 300
"""Tokens of room that are given out by value alone."""
_SMALLEST_LINE = 6
"""Tokens below which no line is looked for."""
_ATTEMPTS = 6
"""Plans that are costed to come close to the target."""
_SEGMENT = 400
"""Tokens of quoted lines that are worth a summary of their own, at their own place."""


class Adaptive:
    name = "adaptive"
    purpose = "keeps the lines that the rest of the session is most likely to need, by learned signals"

    def plan(self, given: PlanInput) -> Plan:
        return _Planner(given).plan()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A plan that has been costed."""

    decisions: dict[int, Decision]
    slots: list[SummarySlot]
    tokens: int


class _Values:
    """What terms are worth."""

    def __init__(self, session: Session, evidence: Evidence, profile: Profile) -> None:
        self.session = session
        self.evidence = evidence
        self.weigher = Weigher(profile)
        names, kinds = session.names, session.kinds
        self._names = {
            term: self.weigher.value(names[term], kinds[term], found, evidence)
            for term, found in evidence.mentions.items()
        }
        texts = max(2, sum(piece.speech for piece in session.pieces))
        self._words = {word: _WORD * (log(texts / held) / log(texts)) ** 3 for word, held in session.held.items()}

    def of(self, term: int) -> float:
        return (self._words if term < 0 else self._names).get(term, 0.0)

    def explain(self, terms: Iterable[int], most: int = 3) -> tuple[str, ...]:
        """The names among some terms that are worth most, each with the signals that speak for it."""
        session, evidence = self.session, self.evidence
        best = sorted({t for t in terms if t >= 0 and t in self._names}, key=lambda t: (-self._names[t], t))[:most]
        return tuple(
            f"{session.names[t]} ({', '.join(self.weigher.reasons(session.names[t], session.kinds[t], evidence.mentions[t], evidence))})"
            for t in best
        )


class _Planner:
    def __init__(self, given: PlanInput) -> None:
        self.given = given
        self.target = given.target if given.target is not None else self._implied_target()
        self.renderer = Renderer(given.messages, given.count, given.per_image)

    def _implied_target(self) -> int:
        """Without a target: what is protected, and each tier's share of the rest."""
        keep, total = self.given.settings.tier_keep, 0.0
        for group in self.given.groups:
            tiers = [t for i in group.messages if (t := self.given.tiers[i]) is not None]
            total += group.tokens * (1.0 if group.index in self.given.protected or not tiers else keep[min(tiers)])
        return int(total)

    def plan(self) -> Plan:
        given, target = self.given, self.target
        protected = [g for g in given.groups if g.index in given.protected]
        kept = {d.group: d for d in keep_protected(given, self.renderer, protected, target)}
        large = self._large_requests(kept)
        for group in large:
            del kept[group]
        rest = [g for g in given.groups if g.index not in kept]
        room = target - sum(d.tokens for d in kept.values())
        if sum(g.tokens for g in rest) <= room:
            kept |= {g.index: self.renderer.whole(g, "fits") for g in rest}
            return self._finish(_Attempt(kept, [], 0))
        return self._finish(_Chooser(given, kept, rest, room, large).best())

    def _large_requests(self, kept: dict[int, Decision]) -> set[int]:
        """Requests that would leave too little room for everything else: their lines have to be worth it."""
        requests = [d for d in kept.values() if self.given.protected[d.group] in REQUESTS]
        room = self.target - sum(d.tokens for d in kept.values()) + sum(d.tokens for d in requests)
        return {d.group for d in requests if d.tokens > _LARGE_REQUEST * room and d.tokens > _SMALL_REQUEST}

    def _finish(self, attempt: _Attempt) -> Plan:
        given = self.given
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
        session = read_session(given.messages)
        evidence = gather(given.messages, session)
        self.values = _Values(session, evidence, given.profile)
        fixed = frozenset(i for g in kept for i in given.groups[g].messages)
        self.lines = Lines(session, self.values.of, fixed)
        covered = {t: None for p in session.pieces if p.message in fixed for t in p.names}
        self.selector = Selector(self.lines, self.values.of, given.count, covered)
        self.native = Native(given.messages, self.lines, given.count)
        self.present = self._present() | large
        self.whole: set[int] = set()
        # a ratio refers to what the first round started from; a target in tokens does without that
        self.based = room >= _TINY or given.settings.target_ratio is not None or given.target is None

    def _present(self) -> set[int]:
        """The newest groups, as long as they are cheap with all their lines left out."""
        present: set[int] = set()
        left = self.room * _PRESENT_SHARE
        for group in reversed(self.rest[max(0, len(self.rest) - _PRESENT) :]):
            left -= self.native.render(group, (), "").tokens
            if left < 0:
                break
            present.add(group.index)
        return present

    def best(self) -> _Attempt:
        """As many of the best lines as the room allows, exactly counted."""
        self._take_musts()
        frame = self._frame()
        room = int((self.room - frame) * 1.1) + 60
        self.selector.fill(self._candidates(room), room - sum(c.cost for c in self.selector.taken.values()))
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
            if decision.rendition != "whole" and group.tokens - decision.tokens <= left:
                left -= group.tokens - decision.tokens
                self.whole.add(group.index)
        more = self._build(order)
        return more if more.tokens <= self.room else attempt

    def _frame(self) -> int:
        """Tokens of the heading of a summary, at most."""
        return self.given.count(self._head(tuple(g.index for g in self.rest))) + _SPARE

    def _head(self, groups: tuple[int, ...]) -> str:
        """The beginning of a summary as it will be written, with a reference of as many tokens."""
        covers = [i for g in groups for i in self.given.groups[g].messages]
        base = Base(sum(m.tokens for m in self.given.messages), self.given.target or 0) if self.based else None
        text = header(10, covers, tier=None, tokens=0, reference="ctx_0a1b2c3d", base=base)
        return f"{text}\n"

    def _candidates(self, room: int) -> list[int]:
        """Lines that have a chance: the densest by their bounds, several times what can be taken."""
        lines = self.lines
        density = [
            bound / (8 + end - start)
            for bound, start, end in zip(lines.bounds, lines.starts, lines.ends, strict=True)
        ]
        order = sorted((line for line in range(len(lines)) if density[line] > 0), key=density.__getitem__, reverse=True)
        limit, total = 40 * max(room, 0), 0
        for count, line in enumerate(order):
            total += 8 + lines.ends[line] - lines.starts[line]
            if total > limit:
                return order[:count]
        return order

    def _take_musts(self) -> None:
        messages, lines = self.given.messages, self.lines
        found = (musts.requests(messages, lines), musts.changed_files(messages, lines), musts.errors(messages, lines))
        for share, groups in zip(_MUST_SHARES, found, strict=True):
            left = int((self.room - _TINY) * share)
            for group in groups:
                cost = sum(self.selector.cost(line) for line in group)
                if cost <= left:
                    left -= sum(self.selector.take(line) for line in group)

    def _nothing(self) -> _Attempt:
        """No room for anything but what is protected."""
        gone = {g.index: self.renderer_gone(g) for g in self.rest}
        return _Attempt(self.kept | gone, [], 0)

    def renderer_gone(self, group: Group) -> Decision:
        return Decision(group.index, "gone", 0, "no room for a summary")

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
            decision = self._in_place(group, own, taken) if own or group.index in self.present else None
            if decision is None:
                quoted.append(group)
            else:
                decisions[group.index] = decision
                used += decision.tokens
        slots = self._slots(quoted, by_group, decisions)
        for group in quoted:
            decisions[group.index] = self._summarized(group, by_group.get(group.index, []))
        used += sum(slot.budget for slot in slots)
        return _Attempt(decisions, slots, used)

    def _in_place(self, group: Group, own: list[Choice], taken: set[int]) -> Decision | None:
        """The group at its place, where that takes no more than to quote what was chosen of it."""
        quoted = sum(choice.cost for choice in own)
        present = group.index in self.present
        if group.tokens <= quoted + _OVERHEAD or group.index in self.whole:
            decision = Decision(group.index, "whole", group.tokens, "worth its tokens")
        elif present or quoted > _MOSTLY * group.tokens:
            decision = self.native.render(group, taken, "newest" if present else "most of it is worth its tokens")
            if not present and decision.tokens > quoted + _OVERHEAD:
                return None
        else:
            return None
        return decision._replace(value=round(sum(choice.value for choice in own), 3), signals=self._why(own))

    def _summarized(self, group: Group, own: list[Choice]) -> Decision:
        if not own:
            return Decision(group.index, "summarized", 0, "no line of it is worth its tokens", value=0.0)
        reason = f"{len(own)} line{'s' * (len(own) > 1)} quoted, {sum(c.cost for c in own):,} tokens"
        value = round(sum(c.value for c in own), 3)
        return Decision(group.index, "summarized", 0, reason, value=value, signals=self._why(own))

    def _why(self, own: list[Choice]) -> tuple[str, ...]:
        return ()

    def _slots(
        self, quoted: list[Group], by_group: dict[int, list[Choice]], decisions: dict[int, Decision]
    ) -> list[SummarySlot]:
        """Summaries for stretches between groups that stay; small ones join the one before."""
        segments: list[list[Group]] = []
        sizes: list[int] = []
        for group in quoted:
            size = sum(choice.cost for choice in by_group.get(group.index, ()))
            apart = segments and any(
                i in decisions and decisions[i].tokens for i in range(segments[-1][-1].index + 1, group.index)
            )
            if not segments or (apart and sizes[-1] >= _SEGMENT):
                segments.append([group])
                sizes.append(size)
            else:
                segments[-1].append(group)
                sizes[-1] += size
        if len(segments) > 1 and sizes[-1] < _SEGMENT:
            segments[-2:] = [segments[-2] + segments[-1]]
        return [self._slot(segment, by_group) for segment in segments]

    def _slot(self, groups: list[Group], by_group: dict[int, list[Choice]]) -> SummarySlot:
        indices = tuple(g.index for g in groups)
        choices = sorted((c for g in groups for c in by_group.get(g.index, ())), key=lambda c: c.line)
        excerpts = tuple(self._excerpts(choices))
        budget = self.given.count(f"{self._head(indices)}{legend(excerpts)}\n{quote(excerpts)}") + _SPARE
        return SummarySlot(max(self._tiers(groups), default=3), indices, budget, excerpts, self.based)

    def _tiers(self, groups: list[Group]) -> list[int]:
        return [t for g in groups for i in g.messages if (t := self.given.tiers[i]) is not None]

    def _excerpts(self, choices: list[Choice]) -> Iterable[Excerpt]:
        before = -2
        lines, piece = self.lines, None
        for choice in choices:
            own = lines.piece(choice.line)
            joint = "gap"
            if own is not piece:
                joint = "heading"
            elif choice.line == before + 1:
                between = own.text[lines.ends[before] : lines.starts[choice.line]]
                joint = "line" if "\n" in between else "same"
            yield Excerpt(own.message, self._speaker(own.message, own.part), lines.text(choice.line), joint, choice.value)
            before, piece = choice.line, own

    def _speaker(self, message: int, part: int) -> str:
        found = self.given.messages[message]
        kind = found.parts[part].kind
        if kind == "tool_call":
            return "".join(found.parts[part].name.split())[:60] or "call"
        if kind == "tool_result" or found.role == "tool":
            return "→"
        return "" if found.role == "assistant" else found.role
