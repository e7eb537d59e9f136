"""Seed 002: the recent messages stay, and of the older ones those with the lowest scores are compressed first.

Compressed messages are summarized in batches, the least important first. If there are too many batches, the least
important ones are summarized again as one. A clip-archive message says what happened."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Plan, Quote, SummaryPart, SummarySlot
from compactor_cli.model.planning import RECENT, PlanInput, text_tokens, tokens_to_request
from compactor_cli.model.score import Score
from compactor_cli.strategies.shared.carried_requests import choose, quotes_of, repeatable, request_room
from compactor_cli.strategies.shared.details import quoted_details
from compactor_cli.strategies.shared.finishing import finished, widened
from compactor_cli.strategies.shared.protected import REQUESTS
from compactor_cli.strategies.shared.recent import (
    HEADING,
    MARK,
    MOST,
    kept_protected,
    quote_tokens,
    room_without_target,
    text_room,
)
from compactor_cli.strategies.shared.renditions import Renderer, comfortable, fit_newest
from compactor_cli.strategies.shared.rooms import DETAIL
from compactor_cli.strategies.shared.time_order import in_time_order
from compactor_cli.summary_text.headers import CUT_OFF

_SHARE = 0.5
"""Share of the room for the clip-archive message."""
_CORE = 0.35
"""Share of the message for the summaries of the batches. The rest is for lines that are likely to be needed."""
_MODEL_CORE = 0.7
"""The same if a model writes the summaries."""
_LEAST_REQUESTED = 120
"""Minimum tokens to request from a model for a batch. If the room is too small for that, the first batches are
joined."""
_EARLIER = "Earlier rounds"


class Ranked:
    name = "ranked"
    purpose = "recent messages stay; of the older ones, those with the lowest scores are summarized first (seed 002)"
    suits = "your own weights: the [summarization] settings define what is important"
    learned = True
    closes = False
    tiers = False
    writes = True

    def plan(self, inputs: PlanInput) -> Plan:
        return _Planner(inputs).plan()


def split_history(
    groups: Sequence[Group], scores: Sequence[Score], messages: int, keep_recent: int
) -> tuple[list[Group], list[Group]]:
    """Return the groups that may be compressed, the lowest score first, and the recent groups. Equal scores keep their
    order.

    The score of a group is that of its best message. A group is recent if one of its messages is."""
    border = messages - keep_recent
    older = [g for g in groups if g.messages[-1] < border]
    return sorted(older, key=lambda g: score_of(g, scores)), [g for g in groups if g.messages[-1] >= border]


def score_of(group: Group, scores: Sequence[Score]) -> float:
    return max(scores[i].raw for i in group.messages)


def batches(groups: Sequence[Group], size: int, limit: int) -> list[list[Group]]:
    """Return the groups in batches of about `size` messages. If there are more than `limit` batches, the first ones are
    joined."""
    result: list[list[Group]] = []
    size_so_far = size
    for group in groups:
        if size_so_far >= size:
            result.append([])
            size_so_far = 0
        result[-1].append(group)
        size_so_far += len(group.messages)
    surplus = len(result) - limit
    if surplus > 0:
        result = [[g for batch in result[: surplus + 1] for g in batch], *result[surplus + 1 :]]
    return result


class _Planner:
    def __init__(self, inputs: PlanInput) -> None:
        self.inputs = inputs
        self.renderer = Renderer(inputs.messages, inputs.count, pairing=inputs.pairing, keep=inputs.settings.keep)

    def plan(self) -> Plan:
        inputs = self.inputs
        protected = [g for g in inputs.groups if g.index in inputs.protected]
        kept = kept_protected(inputs, self.renderer, protected)
        # if there is room, the new summary repeats what an earlier one repeats
        task = [g for g in protected if inputs.protected[g.index] in REQUESTS and self.inputs.is_summary(g)]
        folded = self._attempt(kept, task[:1]) if inputs.repeat and task else None
        return folded or self._attempt(kept, []) or finished(inputs, Ranked.name, {d.group: d for d in kept}, [])

    def _attempt(self, protected: list[Decision], task: list[Group]) -> Plan | None:
        """Return a plan whose summary continues the summaries in `task`, or None if there is no room for that."""
        inputs = self.inputs
        rest = [g for g in inputs.groups if g.index not in inputs.protected]
        older, recent = split_history(rest, inputs.scores, len(inputs.messages), inputs.settings.recent_messages)
        # summaries of earlier rounds go into the new message whatever their score
        earlier = [*task, *(g for g in older if self.inputs.is_summary(g))]
        older = [g for g in older if not self.inputs.is_summary(g)]
        quotes = self._carried_on(earlier, protected) if task else ()
        repeated = quote_tokens(inputs, Ranked.name, quotes)
        kept = [d for d in protected if all(d.group != g.index for g in task)]
        newest, compressed, room = self._share_out(older, recent, earlier, sum(d.tokens for d in kept) + repeated)
        if not compressed and sum(g.tokens for g in earlier) <= room + repeated:  # nothing new to combine them with
            newest, earlier, quotes = [*newest, *(Decision.whole(g, "finished summary") for g in earlier)], [], ()
        decisions = {d.group: d for d in (*kept, *newest)}
        removed = {g.index for g in compressed}
        decisions |= {g.index: self._score_line(g) for g in older if g.index not in removed}
        slots = self._archive(compressed, earlier, room, quotes, repeated)
        if quotes and not slots:
            return None
        summarized = any(slot.excerpts is None for slot in slots)
        for group in (*earlier, *compressed):
            score = f"score {score_of(group, inputs.scores):.1f}"
            decision = (
                Decision.summarized(group, f"compressed, {score}")
                if summarized
                else Decision.gone(group, f"no room for a summary, {score}")
            )
            decisions.setdefault(group.index, decision)
        # if a model writes, every stretch has room for its text
        least = HEADING + text_tokens(_LEAST_REQUESTED)
        if inputs.settings.summarizer == "llm" and slots and slots[0].budget >= least:
            decisions, slots = in_time_order(inputs, decisions, slots, least, 1.0)
        else:
            decisions, slots = in_time_order(inputs, decisions, slots, MARK)
        largest = max(slots, key=lambda slot: slot.budget, default=None)
        slots = [self._batched(slot, compressed, earlier, quoting=slot is largest) for slot in slots]
        decisions |= widened(inputs, self.renderer, decisions, slots, (d.group for d in kept))
        return finished(inputs, Ranked.name, decisions, slots)

    def _carried_on(self, earlier: Sequence[Group], protected: Sequence[Decision]) -> tuple[Quote, ...]:
        """Return the user's words that the summaries of earlier rounds repeat."""
        inputs, earlier_indices = self.inputs, {g.index for g in earlier}
        words = repeatable(inputs, {g.index for g in inputs.groups} - earlier_indices)
        room = (inputs.target or MOST) - sum(d.tokens for d in protected if d.group not in earlier_indices)
        return quotes_of(words, choose(inputs, words, request_room(room)), ends=False)

    def _score_line(self, group: Group) -> Decision:
        return Decision.whole(group, f"score {score_of(group, self.inputs.scores):.1f}")

    def _share_out(
        self, older: list[Group], recent: list[Group], earlier: list[Group], spent: int
    ) -> tuple[list[Decision], list[Group], int]:
        """Return the decisions on recent groups, the older groups to compress (lowest scores first), and the room for
        the message."""
        if self.inputs.target is None:
            replaced = sum(g.tokens for g in (*older, *earlier))
            room = room_without_target(replaced) + HEADING
            whole = [Decision.whole(g, RECENT) for g in recent]
            return (whole, older, room) if replaced > room else (whole, [], 0)
        room = self.inputs.target - spent
        archive = max(HEADING, min(int(_SHARE * room), MOST + DETAIL))
        left = room - archive
        if sum(g.tokens for g in recent) > left:
            newest, left_over = fit_newest(
                self.renderer, recent, left, comfortable(self.renderer, recent, left), RECENT
            )
            compressed = [*older, *left_over]
            return newest, compressed, room - sum(d.tokens for d in newest)
        newest = [Decision.whole(g, RECENT) for g in recent]
        left -= sum(d.tokens for d in newest)
        total, count = sum(g.tokens for g in older), 0
        while count < len(older) and total > left:
            total -= older[count].tokens
            count += 1
        return newest, older[:count], left + archive - total

    def _archive(
        self, compressed: list[Group], earlier: list[Group], room: int, quotes: tuple[Quote, ...], repeated: int
    ) -> list[SummarySlot]:
        """Return the clip-archive message, which summarizes each batch and repeats requests in full (`repeated`
        tokens)."""
        covered = sorted((*compressed, *earlier), key=lambda g: g.index)
        room = min(room, sum(g.tokens for g in covered) - 1 - repeated)
        if not covered or room < MARK:
            return []
        indices = tuple(g.index for g in covered)
        if room < HEADING:
            return [] if quotes else [SummarySlot(3, indices, room, (), note=CUT_OFF)]
        note = "Clip-archive: the messages with the lowest scores were summarized in batches."
        return [SummarySlot(3, indices, room + repeated, form="batches", note=note, quotes=quotes)]

    def _batched(
        self, slot: SummarySlot, compressed: Sequence[Group], earlier: Sequence[Group], *, quoting: bool
    ) -> SummarySlot:
        """Return a summary with its batches. `quoting`: it also quotes lines."""
        if slot.excerpts is not None:
            return slot
        members = set(slot.groups)
        new, carried = [g for g in compressed if g.index in members], [g for g in earlier if g.index in members]
        room = slot.budget - quote_tokens(self.inputs, Ranked.name, slot.quotes)
        model = self.inputs.settings.summarizer == "llm"
        limit = self.inputs.settings.summarization.max_summaries
        parts = self._parts(new, carried, limit)
        while model and limit > 1 and _least_requested(parts, int(room * _MODEL_CORE)) < _LEAST_REQUESTED:
            limit -= 1
            parts = self._parts(new, carried, limit)
        slot = replace(slot, parts=tuple(parts))
        if not quoting:
            return slot
        written = text_room(self.inputs, _MODEL_CORE if model else _CORE, room, len(parts))
        told = quoted_details(self.inputs, [self.inputs.groups[g] for g in slot.groups], room - HEADING)
        return replace(slot, own=written, lines=told.lines)

    def _parts(self, compressed: Sequence[Group], earlier: Sequence[Group], limit: int) -> list[SummaryPart]:
        """Return the batches of the compressed groups, at most `limit`. `compressed` is in the order of scores."""
        settings, scores = self.inputs.settings.summarization, self.inputs.scores
        batched = batches(compressed, settings.chunk_size, limit)
        joined = len(batches(compressed, settings.chunk_size, len(compressed) + 1)) - len(batched) + 1
        parts: list[SummaryPart] = []
        for index, batch in enumerate(batched):
            batch_scores = [score_of(group, scores) for group in batch]
            label = f"Batch {index + joined} of {len(batched) + joined - 1}"
            if index == 0 and joined > 1:
                label = f"Batches 1-{joined} of {len(batched) + joined - 1}, summarized again"
            count = sum(len(g.messages) for g in batch)
            title = f"{label} ({count} messages, scores {min(batch_scores):.1f} to {max(batch_scores):.1f})"
            members = tuple(g.index for g in sorted(batch, key=lambda g: g.index))
            weight = sum(g.tokens for g in batch) ** 0.5 * (1 + index)
            parts.append(SummaryPart(title, members, weight, batches=joined if index == 0 else 1))
        if earlier:
            share = sum(part.weight for part in parts) / max(1, len(parts)) or 1.0
            parts.insert(0, SummaryPart(_EARLIER, tuple(g.index for g in earlier), share, named=False))
        return parts


def _least_requested(parts: Sequence[SummaryPart], room: int) -> int:
    """Return the tokens that a model would be asked for in the part with the smallest budget."""
    total_weight = sum(part.weight for part in parts) or 1.0
    return min((int(tokens_to_request(room) * part.weight / total_weight) for part in parts), default=room)
