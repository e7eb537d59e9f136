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
from compactor_cli.strategies.shared.carried_requests import choose_repeated, find_repeatable, make_quotes, request_room
from compactor_cli.strategies.shared.details import quoted_details
from compactor_cli.strategies.shared.finishing import make_plan, use_spare_tokens
from compactor_cli.strategies.shared.protected import REQUEST_REASONS
from compactor_cli.strategies.shared.recent import (
    HEADING_TOKENS,
    MARK_TOKENS,
    MAX_TEXT_TOKENS,
    protected_decisions,
    quote_tokens,
    room_without_target,
    text_limit,
)
from compactor_cli.strategies.shared.renditions import Renderer, count_fitting, fit_newest
from compactor_cli.strategies.shared.rooms import DETAIL_TOKENS
from compactor_cli.strategies.shared.time_order import put_in_time_order
from compactor_cli.summary_text.headers import CUT_OFF

_ARCHIVE_SHARE = 0.5
"""Share of the room for the clip-archive message."""
_TEXT_SHARE = 0.35
"""Share of the message for the summaries of the batches. The rest is for lines that are likely to be needed."""
_MODEL_TEXT_SHARE = 0.7
"""The same if a model writes the summaries."""
_MIN_REQUESTED_TOKENS = 120
"""Minimum tokens to request from a model for a batch. If the room is too small for that, the first batches are
joined."""
_EARLIER_TITLE = "Earlier rounds"


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
    groups: Sequence[Group], scores: Sequence[Score], message_count: int, keep_recent: int
) -> tuple[list[Group], list[Group]]:
    """Return the groups that may be compressed, the lowest score first, and the recent groups. Equal scores keep their
    order.

    The score of a group is that of its best message. A group is recent if one of its messages is."""
    border = message_count - keep_recent
    older = [g for g in groups if g.messages[-1] < border]
    return sorted(older, key=lambda g: score_of(g, scores)), [g for g in groups if g.messages[-1] >= border]


def score_of(group: Group, scores: Sequence[Score]) -> float:
    return max(scores[i].raw for i in group.messages)


def split_batches(groups: Sequence[Group], size: int, limit: int) -> list[list[Group]]:
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
        kept = protected_decisions(inputs, self.renderer, protected)
        # if there is room, the new summary repeats what an earlier one repeats
        task = [g for g in protected if inputs.protected[g.index] in REQUEST_REASONS and self.inputs.is_summary(g)]
        combined = self._attempt(kept, task[:1]) if inputs.repeat and task else None
        return combined or self._attempt(kept, []) or make_plan(inputs, Ranked.name, {d.group: d for d in kept}, [])

    def _attempt(self, protected: list[Decision], task: list[Group]) -> Plan | None:
        """Return a plan whose summary continues the summaries in `task`, or None if there is no room for that."""
        inputs = self.inputs
        groups = [g for g in inputs.groups if g.index not in inputs.protected]
        older, recent = split_history(groups, inputs.scores, len(inputs.messages), inputs.settings.recent_messages)
        # summaries of earlier rounds go into the new message whatever their score
        summaries = [*task, *(g for g in older if self.inputs.is_summary(g))]
        older = [g for g in older if not self.inputs.is_summary(g)]
        quotes = self._earlier_quotes(summaries, protected) if task else ()
        repeated = quote_tokens(inputs, Ranked.name, quotes)
        kept = [d for d in protected if all(d.group != g.index for g in task)]
        newest, compressed, tokens_left = self._share_out(
            older, recent, summaries, sum(d.tokens for d in kept) + repeated
        )
        # nothing new to combine them with
        if not compressed and sum(g.tokens for g in summaries) <= tokens_left + repeated:
            newest, summaries, quotes = [*newest, *(Decision.whole(g, "finished summary") for g in summaries)], [], ()
        decisions = {d.group: d for d in (*kept, *newest)}
        removed = {g.index for g in compressed}
        decisions |= {g.index: self._keep_for_score(g) for g in older if g.index not in removed}
        slots = self._archive_slots(compressed, summaries, tokens_left, quotes, repeated)
        if quotes and not slots:
            return None
        summarized = any(slot.excerpts is None for slot in slots)
        for group in (*summaries, *compressed):
            score = f"score {score_of(group, inputs.scores):.1f}"
            decision = (
                Decision.summarized(group, f"compressed, {score}")
                if summarized
                else Decision.gone(group, f"no room for a summary, {score}")
            )
            decisions.setdefault(group.index, decision)
        # if a model writes, every stretch has room for its text
        min_budget = HEADING_TOKENS + text_tokens(_MIN_REQUESTED_TOKENS)
        if inputs.settings.summarizer == "llm" and slots and slots[0].budget >= min_budget:
            decisions, slots = put_in_time_order(inputs, decisions, slots, min_budget, 1.0)
        else:
            decisions, slots = put_in_time_order(inputs, decisions, slots, MARK_TOKENS)
        largest = max(slots, key=lambda slot: slot.budget, default=None)
        slots = [self._with_batches(slot, compressed, summaries, quotes_lines=slot is largest) for slot in slots]
        decisions |= use_spare_tokens(inputs, self.renderer, decisions, slots, (d.group for d in kept))
        return make_plan(inputs, Ranked.name, decisions, slots)

    def _earlier_quotes(self, earlier: Sequence[Group], protected: Sequence[Decision]) -> tuple[Quote, ...]:
        """Return the user's words that the summaries of earlier rounds repeat."""
        inputs, earlier_indices = self.inputs, {g.index for g in earlier}
        words = find_repeatable(inputs, {g.index for g in inputs.groups} - earlier_indices)
        room = (inputs.target or MAX_TEXT_TOKENS) - sum(d.tokens for d in protected if d.group not in earlier_indices)
        return make_quotes(words, choose_repeated(inputs, words, request_room(room)), ends_with_request=False)

    def _keep_for_score(self, group: Group) -> Decision:
        return Decision.whole(group, f"score {score_of(group, self.inputs.scores):.1f}")

    def _share_out(
        self, older: list[Group], recent: list[Group], earlier: list[Group], spent_tokens: int
    ) -> tuple[list[Decision], list[Group], int]:
        """Return the decisions on recent groups, the older groups to compress (lowest scores first), and the room for
        the message."""
        if self.inputs.target is None:
            replaced = sum(g.tokens for g in (*older, *earlier))
            room = room_without_target(replaced) + HEADING_TOKENS
            whole = [Decision.whole(g, RECENT) for g in recent]
            return (whole, older, room) if replaced > room else (whole, [], 0)
        room = self.inputs.target - spent_tokens
        archive_room = max(HEADING_TOKENS, min(int(_ARCHIVE_SHARE * room), MAX_TEXT_TOKENS + DETAIL_TOKENS))
        tokens_left = room - archive_room
        if sum(g.tokens for g in recent) > tokens_left:
            newest, left_over = fit_newest(
                self.renderer, recent, tokens_left, count_fitting(self.renderer, recent, tokens_left), RECENT
            )
            compressed = [*older, *left_over]
            return newest, compressed, room - sum(d.tokens for d in newest)
        newest = [Decision.whole(g, RECENT) for g in recent]
        tokens_left -= sum(d.tokens for d in newest)
        total, count = sum(g.tokens for g in older), 0
        while count < len(older) and total > tokens_left:
            total -= older[count].tokens
            count += 1
        return newest, older[:count], tokens_left + archive_room - total

    def _archive_slots(
        self, compressed: list[Group], summaries: list[Group], room: int, quotes: tuple[Quote, ...], repeated: int
    ) -> list[SummarySlot]:
        """Return the clip-archive message, which summarizes each batch and repeats requests in full (`repeated`
        tokens)."""
        covered = sorted((*compressed, *summaries), key=lambda g: g.index)
        room = min(room, sum(g.tokens for g in covered) - 1 - repeated)
        if not covered or room < MARK_TOKENS:
            return []
        indices = tuple(g.index for g in covered)
        if room < HEADING_TOKENS:
            return [] if quotes else [SummarySlot(3, indices, room, (), note=CUT_OFF)]
        note = "Clip-archive: the messages with the lowest scores were summarized in batches."
        return [SummarySlot(3, indices, room + repeated, outline="batches", note=note, quotes=quotes)]

    def _with_batches(
        self, slot: SummarySlot, compressed: Sequence[Group], summaries: Sequence[Group], *, quotes_lines: bool
    ) -> SummarySlot:
        """Return a summary with its batches. `quotes_lines`: it also quotes lines."""
        if slot.excerpts is not None:
            return slot
        members = set(slot.groups)
        new_groups, carried_groups = (
            [g for g in compressed if g.index in members],
            [g for g in summaries if g.index in members],
        )
        room = slot.budget - quote_tokens(self.inputs, Ranked.name, slot.quotes)
        by_model = self.inputs.settings.summarizer == "llm"
        limit = self.inputs.settings.summarization.max_summaries
        parts = self._make_parts(new_groups, carried_groups, limit)
        while by_model and limit > 1 and _min_requested(parts, int(room * _MODEL_TEXT_SHARE)) < _MIN_REQUESTED_TOKENS:
            limit -= 1
            parts = self._make_parts(new_groups, carried_groups, limit)
        slot = replace(slot, parts=tuple(parts))
        if not quotes_lines:
            return slot
        own_tokens = text_limit(self.inputs, _MODEL_TEXT_SHARE if by_model else _TEXT_SHARE, room, len(parts))
        details = quoted_details(self.inputs, [self.inputs.groups[g] for g in slot.groups], room - HEADING_TOKENS)
        return replace(slot, reserved_tokens=own_tokens, lines=details.lines)

    def _make_parts(self, compressed: Sequence[Group], summaries: Sequence[Group], limit: int) -> list[SummaryPart]:
        """Return the batches of the compressed groups, at most `limit`. `compressed` is in the order of scores."""
        settings, scores = self.inputs.settings.summarization, self.inputs.scores
        batched = split_batches(compressed, settings.chunk_size, limit)
        joined_batches = len(split_batches(compressed, settings.chunk_size, len(compressed) + 1)) - len(batched) + 1
        parts: list[SummaryPart] = []
        for index, batch in enumerate(batched):
            batch_scores = [score_of(group, scores) for group in batch]
            label = f"Batch {index + joined_batches} of {len(batched) + joined_batches - 1}"
            if index == 0 and joined_batches > 1:
                label = f"Batches 1-{joined_batches} of {len(batched) + joined_batches - 1}, summarized again"
            count = sum(len(g.messages) for g in batch)
            title = f"{label} ({count} messages, scores {min(batch_scores):.1f} to {max(batch_scores):.1f})"
            members = tuple(g.index for g in sorted(batch, key=lambda g: g.index))
            weight = sum(g.tokens for g in batch) ** 0.5 * (1 + index)
            parts.append(SummaryPart(title, members, weight, batches=joined_batches if index == 0 else 1))
        if summaries:
            share = sum(part.weight for part in parts) / max(1, len(parts)) or 1.0
            parts.insert(0, SummaryPart(_EARLIER_TITLE, tuple(g.index for g in summaries), share, named=False))
        return parts


def _min_requested(parts: Sequence[SummaryPart], room: int) -> int:
    """Return the tokens that a model would be asked for in the part with the smallest budget."""
    total_weight = sum(part.weight for part in parts) or 1.0
    return min((int(tokens_to_request(room) * part.weight / total_weight) for part in parts), default=room)
