"""Find which needs remain in a compacted front, and whether they are still in context there."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.evaluation.retention.future_references import (
    MAX_PLACES,
    NEIGHBOUR_REACH,
    Need,
    part_text,
    spread_evenly,
)
from compactor_cli.evaluation.retention.search_index import Haystack
from compactor_cli.model.message import Message

_OLD_SHARE = 0.5


class NeedSurvival(Struct, frozen=True):
    """Shares of the total weight of needs, from 0 to 1."""

    recall: float
    linked: float
    """Share that is still present near at least half of its neighbouring words in one place. A bare list of names
    has none."""
    old_half: float | None


def need_survival(needs: Sequence[Need], front: Sequence[Message], output: Sequence[Message]) -> NeedSurvival:
    """Return how much of a front's needs an output keeps. System messages of the front do not count."""
    system_texts = {message.text() for message in front if message.role == "system"}
    output_messages = [m for m in output if m.role != "system" or m.text() not in system_texts]
    haystack = Haystack(part_text(part) for message in output_messages for part in message.parts)
    kept_weight = linked = old = old_kept = 0.0
    for need in needs:
        is_old = need.age <= _OLD_SHARE
        old += need.weight * is_old
        hits = haystack.find(need.name)
        if not hits:
            continue
        kept_weight += need.weight
        old_kept += need.weight * is_old
        # twice the reach, because shortened text in between may have moved the neighbours
        neighbour_sets = (haystack.neighbours(hit, 2 * NEIGHBOUR_REACH) for hit in spread_evenly(hits, MAX_PLACES))
        linked += need.weight * any(_is_linked(need, words) for words in neighbour_sets)
    whole = sum(need.weight for need in needs)
    return NeedSurvival(kept_weight / whole, linked / whole, old_kept / old if old else None)


def _is_linked(need: Need, words: frozenset[str]) -> bool:
    """Return whether half of the neighbours from one occurrence are present."""
    places = [among for among in need.among if among]
    return not places or any(2 * len(among & words) >= len(among) for among in places)
