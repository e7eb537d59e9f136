"""What the strategies of seeds 001, 003 and 004 share: the newest messages stay, one summary stands for the rest.

With a target, the newest messages stay whole as long as the summary has its share; room that is left
goes to older exchanges. Without one, the summary has a share of what it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from compactor_cli.model.drafting import text_tokens
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision, Plan, Quote, SummaryPart, SummarySlot
from compactor_cli.model.planning import CLOSING, PlanInput
from compactor_cli.strategies.details import DETAIL, quoted_details
from compactor_cli.strategies.newest import comfortable, fit_newest
from compactor_cli.strategies.protected import REQUESTS, keep_protected
from compactor_cli.strategies.renditions import Renderer
from compactor_cli.text.excerpts import Excerpt
from compactor_cli.text.headers import CUT_OFF
from compactor_cli.text.verbatim import block, can_repeat, carried

HEADING = 90
"""Tokens of the heading of a summary, with what it was compacted from."""
MARK = 64
"""Tokens of the shortest heading, and of the line that says that nothing is kept."""
_KEEPS = 0.15
"""Without a target: share of what it replaces that a summary may have (tier 3 of seed 000)."""
_SUMMARY_SHARE = 0.5
"""Share of the room that recent messages leave to the summary when they are large."""
LEAST, MOST = 1_000, 8_000
"""Tokens that a summary may always have (seed 001), and above which what stands under its headings says less
than the lines themselves."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What makes a strategy of this kind."""

    name: str
    form: str = "summary"
    core: float = 0.35
    """Of the summary's room, for what stands under its headings; the rest is for lines of the session that
    are likely to be needed. 0: a mark that says what it stands for, and nothing else."""
    recent: bool = True
    """The newest messages stay."""
    absorbs: bool = False
    """The summary repeats the first request, and a last one that is not recent, instead of leaving them in place."""
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
    """Tokens of requests that a summary repeats in full, with their headings."""
    return sum(given.count(block(strategy, q.kind, q.message, q.text)) for q in quotes)


def carried_on(messages: Sequence[Message], summary: Message) -> list[Quote]:
    """The requests that an earlier summary carries: the first one, and the last one unless there are newer ones."""
    before = carried(summary.text("text"))
    asked = any(message.origin == "request" for message in messages)
    last = [Quote("last", None, before.last)] if before.last and not asked else []
    return [Quote("first", None, before.first), *last]


class _Planner:
    def __init__(self, given: PlanInput, shape: Shape) -> None:
        self.given, self.shape = given, shape
        self.renderer = Renderer(given.messages, given.count, given.per_image)
        self.border = len(given.messages) - (given.settings.recent_messages if shape.recent else 0)

    def plan(self) -> Plan:
        given = self.given
        protected = [g for g in given.groups if g.index in given.protected]
        kept = {d.group: d for d in kept_protected(given, self.renderer, protected)}
        absorbed = [g for g in protected if self._is_absorbed(g)] if self.shape.core and given.repeat else []
        # no room for a summary that repeats requests: they stay where they are; at last a mark says what is gone
        found = self._attempt(kept, absorbed) or (self._attempt(kept, []) if absorbed else None)
        if found is None and self.shape.core:
            self.shape = replace(self.shape, core=0.0, parts=None)
            found = self._attempt(kept, [])
        decisions, slots = found or self._bare(kept)
        decisions |= self._closing(decisions)
        return finished(given, self.shape.name, decisions, slots, self._notes(slots))

    def _notes(self, slots: Sequence[SummarySlot]) -> tuple[str, ...]:
        if self.shape.parts is None or not slots or slots[0].parts:
            return ()
        return (f"{self.shape.name}: too short to be grouped by topic; one summary stands for all of it",)

    def _is_absorbed(self, group: Group) -> bool:
        """Whether the summary repeats a request in its place. What an earlier summary carries, every one carries on."""
        if self.given.protected[group.index] not in REQUESTS or len(group.messages) > 1:
            return False
        message = self.given.messages[group.messages[0]]
        if message.origin == "summary":
            return True
        plain = can_repeat(message.text("text")) and all(part.kind == "text" for part in message.parts)
        return self.shape.absorbs and plain and message.index < self.border

    def _attempt(
        self, kept: dict[int, Decision], absorbed: list[Group]
    ) -> tuple[dict[int, Decision], list[SummarySlot]] | None:
        given, shape = self.given, self.shape
        quotes = self._quotes(kept, absorbed)
        fixed = {index: d for index, d in kept.items() if all(g.index != index for g in absorbed)}
        rest = [g for g in given.groups if g.index not in kept]
        heading = HEADING if shape.core else MARK
        repeated = quote_tokens(given, shape.name, quotes)
        if given.target is None:
            newest, older = self._by_border(rest)
            recent = [self.renderer.whole(g, "recent") for g in newest]
            replaced = sum(g.tokens for g in (*older, *absorbed))
            budget = room_without_target(replaced) + heading + repeated if shape.core else heading
            if replaced <= budget or all(self.given.is_summary(g) for g in (*older, *absorbed)):
                return {g.index: self.renderer.whole(g, "too little to summarize") for g in given.groups}, []
        else:
            room = given.target - sum(d.tokens for d in fixed.values()) - repeated
            recent, older = self._recent(rest, room, heading)
            budget = room + repeated - sum(d.tokens for d in recent)
            if budget < heading + repeated:
                return None
        covered = sorted((*older, *absorbed), key=lambda g: g.index)
        budget = min(budget, sum(g.tokens for g in covered) - 1)
        if covered and budget < heading + repeated:
            return None
        decisions = fixed | {d.group: d for d in recent}
        why = "repeated in the summary"
        names = {g.index for g in absorbed}
        decisions |= {
            g.index: self.renderer.removed(g, why if g.index in names else self._why(), summarized=shape.core > 0)
            for g in covered
        }
        return decisions, [self._slot(covered, budget, quotes)] if covered else []

    def _why(self) -> str:
        return "in the summary" if self.shape.core else "older than what is kept"

    def _slot(self, covered: list[Group], budget: int, quotes: tuple[Quote, ...]) -> SummarySlot:
        given = self.given
        excerpts: tuple[Excerpt, ...] | None = None if self.shape.core else ()
        lines: tuple[Excerpt, ...] = ()
        parts = self.shape.parts(given, covered) if self.shape.core and self.shape.parts else ()
        if self.shape.core:
            repeated = {quote.message for quote in quotes if quote.message is not None}
            core = text_room(given, self.shape.core, budget, len(parts)) + HEADING
            core += sum(given.count(q.text) for q in quotes)
            lines = quoted_details(given, covered, budget - core, repeated)
        slot = SummarySlot(
            3, tuple(g.index for g in covered), budget, excerpts, form=self.shape.form, quotes=quotes, lines=lines
        )
        if not self.shape.core:
            return replace(slot, note=CUT_OFF)
        return replace(slot, parts=parts) if parts or not self.shape.parts else replace(slot, form="summary")

    def _quotes(self, kept: dict[int, Decision], absorbed: Sequence[Group]) -> tuple[Quote, ...]:
        """What the summary repeats: requests, or what is left of them where the target is small."""
        messages = self.given.messages
        found: list[Quote] = []
        for group in absorbed:
            message = messages[group.messages[0]]
            if message.origin == "summary":
                found += carried_on(messages, message)
                continue
            edits = {edit.part: edit.text for edit in kept[group.index].edits}
            pieces = [edits.get(at, part.text) for at, part in enumerate(message.parts)]
            text = "\n".join(piece for piece in pieces if piece)
            is_first = self.given.protected[group.index] == REQUESTS[0]
            found.append(Quote("first" if is_first else "last", message.index, text))
        asked = sum(m.origin == "request" for m in messages)
        alone = len(found) == 1 and asked == (found[0].message is not None)
        if self.shape.absorbs and not self.shape.recent and (alone or len({q.text for q in found}) == 1 < len(found)):
            return (replace(found[0], kind="only"),)
        return tuple(found)

    # -- the newest messages

    def _by_border(self, rest: list[Group]) -> tuple[list[Group], list[Group]]:
        """The recent groups and the others. What an earlier round wrote is not recent, unless there is
        nothing new to put it together with."""
        older = [g for g in rest if g.messages[-1] < self.border or self.given.is_summary(g)]
        if all(self.given.is_summary(g) for g in older):
            return rest, []
        taken = {g.index for g in older}
        return [g for g in rest if g.index not in taken], older

    def _recent(self, rest: list[Group], room: int, heading: int) -> tuple[list[Decision], list[Group]]:
        """The newest messages whole, or cut when they must be; then older ones as far as there is room."""
        if not self.shape.recent:
            return [], rest
        summary = max(heading, int(_SUMMARY_SHARE * room)) if self.shape.core else heading
        newest, older = self._by_border(rest)
        left = room - summary
        if sum(g.tokens for g in newest) > left:
            if not self.shape.core:
                return self._whole(rest, left)
            decisions, over = fit_newest(
                self.renderer, newest, left, comfortable(self.renderer, newest, left), "recent"
            )
            return decisions, sorted((*older, *over), key=lambda g: g.index)
        recent = [self.renderer.whole(g, "recent") for g in newest]
        left = room - sum(d.tokens for d in recent) - (MOST + DETAIL if self.shape.core else heading)
        more, older = self._whole(older, left, smallest=False)
        return [*more, *recent], older

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
            return [self.renderer.whole(g, "recent") for g in kept], groups[: len(groups) - count]
        return fit_newest(self.renderer, groups, room, 1, "recent")

    def _bare(self, kept: dict[int, Decision]) -> tuple[dict[int, Decision], list[SummarySlot]]:
        """No room for anything but what is protected."""
        rest = (g for g in self.given.groups if g.index not in kept)
        return kept | {g.index: Decision(g.index, "gone", 0, "no room for a summary") for g in rest}, []

    def _closing(self, decisions: dict[int, Decision]) -> dict[int, Decision]:
        """The assistant turn that closes a history goes when no tool result stands before it any more."""
        last = self.given.groups[-1]
        if self.given.protected.get(last.index) != CLOSING:
            return {}
        kept = [g.messages[-1] for g in self.given.groups[:-1] if decisions[g.index].tokens]
        if kept and self.given.messages[max(kept)].results:
            return {}
        return {last.index: self.renderer.removed(last, "no tool result stands before it", summarized=False)}
