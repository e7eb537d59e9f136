"""Recency tiers: borders from the end, over non-residual messages, moved outward to group borders."""

from __future__ import annotations

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message, Part
from compactor_cli.pipeline.analysis import assign_tiers


def messages(count: int, system: frozenset[int] = frozenset()) -> list[Message]:
    return [
        Message(i, f"m{i}", "system" if i in system else "user", (Part("text", "x", 1),), (i,), 1) for i in range(count)
    ]


def singles(count: int) -> list[Group]:
    return [Group(i, (i,), 1) for i in range(count)]


def test_tiers_have_borders_at_10_25_and_50_from_the_end() -> None:
    tiers = assign_tiers(messages(60), singles(60), frozenset())
    assert tiers == (3,) * 10 + (2,) * 25 + (1,) * 15 + (0,) * 10


def test_residuals_and_system_messages_have_no_tier_and_are_not_counted() -> None:
    tiers = assign_tiers(messages(14, frozenset({0})), singles(14), frozenset({5, 12}))
    assert tiers[0] is tiers[5] is tiers[12] is None
    assert [i for i, tier in enumerate(tiers) if tier == 0] == [2, 3, 4, 6, 7, 8, 9, 10, 11, 13]
    assert tiers[1] == 1


def test_a_group_across_a_border_is_all_in_the_more_recent_tier() -> None:
    groups = [*singles(8), Group(8, (8, 9, 10, 11), 4), *(Group(i - 3, (i,), 1) for i in range(12, 20))]
    tiers = assign_tiers(messages(20), groups, frozenset())
    assert tiers[8:] == (0,) * 12
    assert tiers[:8] == (1,) * 8


def test_a_group_whose_results_are_far_away_moves_as_one() -> None:
    groups = [Group(0, (0, 29), 2), *(Group(i, (i,), 1) for i in range(1, 29))]
    tiers = assign_tiers(messages(30), groups, frozenset())
    assert tiers[0] == tiers[29] == 0


def test_a_short_transcript_is_all_in_tier_0() -> None:
    assert assign_tiers(messages(10), singles(10), frozenset()) == (0,) * 10


def test_borders_can_be_set() -> None:
    assert assign_tiers(messages(5), singles(5), frozenset(), (1, 2, 3)) == (3, 3, 2, 1, 0)
