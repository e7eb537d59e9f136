"""Seed 003, `hybrid`: older messages are grouped by topic and each topic is summarized; the least important ones are
only named."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Plan, SummaryPart
from compactor_cli.model.planning import PlanInput
from compactor_cli.strategies.shared.recent import Shape
from compactor_cli.strategies.small_rooms import plan_in_any_room

_MIN_IMPORTANCE = 0.1
"""Importance below which a topic gets a title but no lines: its messages are truncated."""


def _topics(inputs: PlanInput, covered: Sequence[Group]) -> tuple[SummaryPart, ...]:
    """Return the topics as parts of the summary. Summaries of earlier rounds form a topic of their own."""
    earlier = [g for g in covered if inputs.is_summary(g)]
    topics = inputs.topics(inputs.messages, [g for g in covered if g not in earlier])
    if not topics:
        return ()
    parts = [SummaryPart("Earlier rounds", tuple(g.index for g in earlier), 0.5, named=False)] if earlier else []
    parts += [
        SummaryPart(topic.title, topic.groups, topic.importance if topic.importance >= _MIN_IMPORTANCE else 0.0)
        for topic in topics
    ]
    return tuple(parts)


_SHAPE = Shape("hybrid", outline="topics", text_share=0.35, parts=_topics)


class Hybrid:
    name = "hybrid"
    purpose = "older messages grouped by topic, each topic summarized, recent messages kept (seed 003)"
    suits = "long sessions about several things"
    learned = True
    closes = False
    tiers = False
    writes = True

    def plan(self, inputs: PlanInput) -> Plan:
        return plan_in_any_room(inputs, _SHAPE)
