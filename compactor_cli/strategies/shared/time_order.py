"""Summaries in time order: nothing that is kept comes after a summary of later messages.

If something is kept between the messages of a summary, the summary is split into one for each stretch between. If a
stretch has no room for a heading, what is kept moves into the summary and is repeated there whole."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from compactor_cli.model.group import Group
from compactor_cli.model.injected import has_instructions
from compactor_cli.model.message import Message
from compactor_cli.model.plan import Decision, Quote, SummarySlot
from compactor_cli.model.planning import DECIDED, PlanInput
from compactor_cli.summary_text.excerpts import INSTRUCTIONS, user_named
from compactor_cli.summary_text.verbatim import can_repeat, label_of, turn

REPEATED_REASON = "repeated in the summary"
"""Reason given for what a summary repeats word for word."""
HEADING_SHARE = 0.25
"""Share of a summary's room that the headings of its stretches may take."""
_MOVABLE_KINDS = ("text", "tool_call", "tool_result", "thinking")
"""Kinds of message parts that can be repeated as text. Thinking is left out."""


class _Stretch(Struct):
    """Groups that one summary covers, and the kept groups that it repeats."""

    groups: list[Group] = field(default_factory=list)
    moved: list[Group] = field(default_factory=list)
    tokens: int = 0
    """Tokens of `groups`."""


def put_in_time_order(
    inputs: PlanInput,
    decisions: dict[int, Decision],
    slots: Sequence[SummarySlot],
    heading: int,
    share: float = HEADING_SHARE,
) -> tuple[dict[int, Decision], list[SummarySlot]]:
    """Change the plan so that no kept group comes after a summary of later ones. The plan takes no more tokens; groups
    that do not fit at their place are dropped.

    `heading`: tokens of the heading of a summary. `share`: the share of a summary's room that headings of its stretches
    may take before something kept moves into it."""
    decisions = dict(decisions)
    placed: list[SummarySlot] = []
    for slot in slots:
        placed += _Splitter(inputs, decisions, slot, heading, share).split()
    return decisions, placed


class _Splitter:
    """Splits one summary. Changes `decisions` for groups that move into it, are kept after all, or are dropped."""

    def __init__(
        self, inputs: PlanInput, decisions: dict[int, Decision], slot: SummarySlot, heading: int, share: float
    ) -> None:
        self.inputs, self.decisions, self.slot, self.heading = inputs, decisions, slot, heading
        self.max_heading_tokens = slot.budget * share
        self.members = set(slot.groups)
        self.budget = slot.budget

    def split(self) -> list[SummarySlot]:
        """Return the summaries that replace it."""
        groups = self.inputs.groups
        first_message = groups[self.slot.groups[0]].messages[0]
        last_message = max(groups[g].messages[-1] for g in self.slot.groups)
        kept = [
            g for g in groups if self._is_kept(g) and g.messages[-1] > first_message and g.messages[0] < last_message
        ]
        if not kept:
            return [self.slot]
        stretches = self._stretches(kept)
        return self._allocate_budgets(stretches)

    def _is_kept(self, group: Group) -> bool:
        return group.index not in self.members and self.decisions[group.index].tokens > 0

    def _stretches(self, kept: Sequence[Group]) -> list[_Stretch]:
        """Return the stretches in time order. At each kept group a stretch ends, if it has room for a heading."""
        spans = [_Stretch()]
        kept_between: list[Group] = []
        """What is kept since the previous stretch."""
        last_kept, last_covered = -1, -1
        for group in sorted([*(self.inputs.groups[g] for g in self.members), *kept], key=lambda g: g.messages[0]):
            current = spans[-1]
            if group.index in self.members:
                if group.messages[0] < last_kept:  # it began before the end of something that stays
                    self._drop([group])
                    continue
                current.groups.append(group)
                current.tokens += group.tokens
                last_covered = max(last_covered, group.messages[-1])
                continue
            if not current.groups:
                kept_between.append(group)
                last_kept = max(last_kept, group.messages[-1])
                continue
            overlaps = last_covered > group.messages[0]
            if (overlaps or not self._has_room(current, len(spans) - 1)) and self._can_move(group):
                current.moved.append(group)
                last_covered = max(last_covered, group.messages[-1])
                continue
            if overlaps:
                self._drop([g for g in current.groups if g.messages[-1] > group.messages[0]])
                current.groups = [g for g in current.groups if g.messages[-1] < group.messages[0]]
            spans.append(_Stretch())
            kept_between = [group]
            last_kept, last_covered = group.messages[-1], -1
        self._join_last(spans, kept_between)
        return [stretch for stretch in spans if stretch.groups]

    def _join_last(self, spans: list[_Stretch], kept_between: Sequence[Group]) -> None:
        """Join the last stretch with the one before if it has no room for a heading."""
        if len(spans) < 2 or self._has_room(spans[-1], len(spans) - 2) or not all(map(self._can_move, kept_between)):
            return
        last = spans.pop()
        before = spans[-1]
        if last.groups:
            before.groups += last.groups
            before.moved += [*kept_between, *last.moved]
            before.tokens += last.tokens

    def _has_room(self, stretch: _Stretch, heading_count: int) -> bool:
        """Return whether a stretch may have its own heading, besides those that already have one, and one for the
        rest."""
        return stretch.tokens > self.heading and (heading_count + 2) * self.heading <= self.max_heading_tokens

    def _can_move(self, group: Group) -> bool:
        """Return whether a kept group may move into the summary. Tool exchanges that must stay, and what a person
        decided to keep, remain at their place."""
        if self.inputs.protected.get(group.index) == DECIDED:
            return False
        messages = [self.inputs.messages[i] for i in group.messages]
        kept = self.inputs.residuals.kept
        is_exchange = any(message.calls or message.results for message in messages)
        if is_exchange and (group.index in self.inputs.protected or any(i in kept for i in group.messages)):
            return False
        return self.inputs.repeat and all(map(can_move, messages))

    # -- who has how much

    def _allocate_budgets(self, stretches: Sequence[_Stretch]) -> list[SummarySlot]:
        """Return the summaries with their budgets. Headings and repeated messages are paid first, in the order of
        `_urgency`, and the rest of the room is split by size. A small stretch stays whole if that takes no more
        tokens."""
        tokens_left = self.budget
        funded: list[tuple[_Stretch, tuple[Quote, ...], int]] = []
        for stretch in sorted(stretches, key=self._urgency):
            quotes = self._quotes(stretch)
            min_tokens = self.heading + sum(self.inputs.count(_quote_text(quote)) + 1 for quote in quotes)
            room_with = tokens_left + sum(self.decisions[g.index].tokens for g in stretch.moved)
            is_small = stretch.tokens <= max(self.heading, min_tokens) and stretch.tokens <= tokens_left - self.heading
            if is_small and not stretch.moved:
                tokens_left -= stretch.tokens
                for group in stretch.groups:
                    self.decisions[group.index] = Decision.whole(group, "smaller than a summary")
            elif min_tokens <= room_with and min_tokens < stretch.tokens + room_with - tokens_left:
                tokens_left = room_with - min_tokens
                funded.append((stretch, quotes, min_tokens))
            else:
                self._drop(stretch.groups)
        return self._slots(sorted(funded, key=lambda entry: entry[0].groups[0].index), tokens_left)

    def _urgency(self, stretch: _Stretch) -> tuple[bool, bool, int]:
        """Return a sort key: first stretches with words of the user, then those with a summary of an earlier round,
        which knows the number of rounds, then the largest."""
        earlier = any(map(self.inputs.is_summary, stretch.groups))
        return not self._quotes(stretch), not earlier, -stretch.tokens

    def _slots(self, funded: Sequence[tuple[_Stretch, tuple[Quote, ...], int]], room: int) -> list[SummarySlot]:
        slots = []
        total = sum(stretch.tokens for stretch, _, _ in funded) or 1
        for stretch, quotes, min_tokens in funded:
            for group in stretch.moved:
                self.decisions[group.index] = Decision.summarized(group, REPEATED_REASON)
            if stretch.moved:  # it repeats them, and so says more than that they are gone
                for group in stretch.groups:
                    self.decisions[group.index] = self.decisions[group.index]._replace(rendition="summarized")
            covered = sorted([*stretch.groups, *stretch.moved], key=lambda g: g.messages[0])
            budget = min_tokens + room * stretch.tokens // total
            budget = min(budget, sum(g.tokens for g in covered) - 1)
            names = tuple(g.index for g in covered)
            parts = tuple(
                replace(part, groups=covered_groups)
                for part in self.slot.parts
                if (covered_groups := tuple(g for g in part.groups if g in names))
            )
            slots.append(replace(self.slot, groups=names, budget=budget, quotes=quotes, parts=parts))
        return slots

    def _quotes(self, stretch: _Stretch) -> tuple[Quote, ...]:
        """Return what the summary of a stretch repeats: its own messages, moved groups, and what earlier rounds
        repeated."""
        indices = {i for g in stretch.groups for i in g.messages}
        is_first = self.slot.groups[0] in {g.index for g in stretch.groups}
        kept = [q for q in self.slot.quotes if (is_first if q.message is None else q.message in indices)]
        moved = [q for g in stretch.moved for q in repeat_group(self.inputs, self.decisions[g.index], g)]
        return tuple(sorted([*kept, *moved], key=lambda q: -1 if q.message is None else q.message))

    def _drop(self, groups: Sequence[Group]) -> None:
        for group in groups:
            self.decisions[group.index] = Decision.gone(group, "no room for a summary at its place")


def can_move(message: Message) -> bool:
    """Return whether a summary can repeat a message: it is text, and not a summary itself."""
    if message.role == "system" or message.origin == "summary" or message.pinned:
        return False
    if any(part.kind not in _MOVABLE_KINDS or part.images for part in message.parts):
        return False
    return can_repeat("".join(part.text for part in message.parts if part.kind != "thinking"))


def repeat_group(inputs: PlanInput, decision: Decision, group: Group) -> list[Quote]:
    """Return the quotes with which a summary repeats a group, in the form in which the plan keeps it."""
    edits = {(edit.message, edit.part): edit.text for edit in decision.edits}
    quotes = []
    for index in group.messages:
        message = inputs.messages[index]
        for position, part in enumerate(message.parts):
            text = edits.get((index, position), part.text)
            if part.kind == "thinking" or not text.strip():
                continue
            speaker = {"tool_call": "".join(part.name.split()).replace(":", "_"), "tool_result": "→"}.get(part.kind)
            if speaker is None:
                user_label = INSTRUCTIONS if has_instructions(message) else user_named(message.speaker)
                names = {"assistant": "", "user": user_label}
                speaker = names.get(message.role, message.role)
            quotes.append(Quote("turn", index, text, label_of(message.number, speaker), message.number))
    return quotes


def _quote_text(quote: Quote) -> str:
    return turn(quote.label, quote.text) if quote.kind == "turn" else f"### {quote.kind} request\n{quote.text}"
