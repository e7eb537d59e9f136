"""Where the summaries stand that replace one: no kept message behind words of later ones, and what that costs."""

from __future__ import annotations

import pytest

from compactor_cli.model.plan import Decision, Quote, SummarySlot
from compactor_cli.model.planning import DECIDED, PlanInput
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.strategies.shared.time_order import put_in_time_order
from tests.pipeline.sessions import Json, assistant, result, user
from tests.strategies.asked import plan_inputs

TALK = "The table is long, and each of its rows was looked at. " * 20
PICTURE: Json = {
    "role": "user",
    "content": [
        {"type": "text", "text": "As drawn."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ],
}
HEADING = 20


def arranged(
    inputs: PlanInput, members: list[int], budget: int, *, quotes: tuple[Quote, ...] = ()
) -> tuple[dict[int, str], list[SummarySlot]]:
    """What becomes of each group, and the summaries, where these are summarized in so many tokens; all others stay."""
    decisions = {
        g.index: Decision(g.index, "summarized", 0, "old") if g.index in members else kept_whole(inputs, g.index)
        for g in inputs.groups
    }
    after, slots = put_in_time_order(
        inputs, decisions, [SummarySlot(3, tuple(members), budget, quotes=quotes)], HEADING
    )
    spent = sum(d.tokens for d in after.values()) + sum(slot.budget for slot in slots)
    assert spent <= sum(d.tokens for d in decisions.values()) + budget, "it takes no more"
    return {index: decision.rendition for index, decision in after.items()}, slots


def kept_whole(inputs: PlanInput, group: int) -> Decision:
    return Decision(group, "whole", inputs.groups[group].tokens, "kept")


def test_a_summary_with_nothing_kept_between_stays_as_it_is() -> None:
    inputs = plan_inputs([user("Go."), assistant(TALK), assistant(TALK), user("Go on."), assistant("Done.")])
    fates, slots = arranged(inputs, [1, 2], 200)
    assert [slot.groups for slot in slots] == [(1, 2)]
    assert slots[0].budget == 200
    assert [fates[at] for at in (0, 3, 4)] == ["whole"] * 3


def test_each_of_several_summaries_is_put_in_its_place() -> None:
    inputs = plan_inputs(
        [user("Go."), assistant(TALK), assistant(TALK), user("Go on."), assistant(TALK), assistant("Done.")]
    )
    decisions = {g.index: Decision(g.index, "summarized", 0, "old") for g in inputs.groups}
    decisions |= {at: kept_whole(inputs, at) for at in (0, 3, 5)}
    slots = [SummarySlot(3, (1, 2), 200), SummarySlot(2, (4,), 100)]
    assert put_in_time_order(inputs, decisions, slots, HEADING) == (decisions, slots)


def test_what_cannot_be_repeated_parts_a_summary_and_each_part_has_room_by_its_size() -> None:
    inputs = plan_inputs([user("Go."), assistant(TALK), PICTURE, assistant(TALK * 3), assistant("Done.")])
    fates, (first, second) = arranged(inputs, [1, 3], 400)
    assert (first.groups, second.groups) == ((1,), (3,))
    assert first.budget + second.budget in (399, 400)
    assert second.budget - HEADING == pytest.approx(3 * (first.budget - HEADING), abs=4)
    assert fates[2] == "whole"


def test_an_exchange_that_ends_behind_what_must_stay_is_gone_and_what_was_before_it_is_summarized() -> None:
    """Its result stands behind a kept message: words of it must stand neither before that nor behind its call."""
    records = [user("Go."), assistant(TALK), assistant(TALK, "c1"), PICTURE, result("c1", TALK), assistant(TALK)]
    inputs = plan_inputs([*records, assistant("Done.")])
    assert [group.messages for group in inputs.groups][:5] == [(0,), (1,), (2, 4), (3,), (5,)]
    fates, (first, second) = arranged(inputs, [1, 2, 4], 400)
    assert (first.groups, second.groups) == ((1,), (4,))
    assert fates == {0: "whole", 1: "summarized", 2: "gone", 3: "whole", 4: "summarized", 5: "whole"}


def test_an_exchange_that_began_before_something_ended_that_stays_is_gone() -> None:
    records = [user("Go."), assistant(None, "c1"), assistant(TALK), result("c1"), assistant(TALK), assistant("Done.")]
    inputs = plan_inputs(records)
    assert [group.messages for group in inputs.groups][:4] == [(0,), (1, 3), (2,), (4,)]
    fates, (slot,) = arranged(inputs, [2, 3], 300)
    assert slot.groups == (3,)
    assert (fates[1], fates[2]) == ("whole", "gone")


def test_without_room_for_headings_what_can_be_repeated_moves_into_the_summary_and_the_rest_stays() -> None:
    inputs = plan_inputs([user("Go."), assistant(TALK), assistant("It is amber."), assistant(TALK), assistant("Done.")])
    fates, (slot,) = arranged(inputs, [1, 3], 8 * HEADING - 1)
    assert slot.groups == (1, 2, 3)
    assert [quote.text for quote in slot.quotes] == ["It is amber."]
    assert fates[2] == "summarized"
    fates, slots = arranged(inputs, [1, 3], 8 * HEADING)
    assert [slot.groups for slot in slots] == [(1,), (3,)]
    assert fates[2] == "whole"


def test_what_a_person_decided_to_keep_never_moves() -> None:
    records = [user("Go."), assistant(TALK), assistant("It is amber."), assistant(TALK), assistant("Done.")]
    inputs = plan_inputs(records, frozenset([2]))
    assert inputs.protected[2] == DECIDED
    fates, _ = arranged(inputs, [1, 3], 8 * HEADING - 1)
    assert fates[2] == "whole"


def test_what_takes_no_more_than_a_heading_stays_instead() -> None:
    inputs = plan_inputs([user("Go."), assistant("Amber."), PICTURE, assistant(TALK), assistant("Done.")])
    fates, (slot,) = arranged(inputs, [1, 3], 300)
    assert slot.groups == (3,)
    assert fates[1] == "whole"
    assert slot.budget <= 300 - inputs.groups[1].tokens


def test_without_any_room_for_a_heading_what_was_to_be_summarized_is_gone() -> None:
    inputs = plan_inputs([user("Go."), assistant(TALK), PICTURE, assistant(TALK), assistant("Done.")])
    fates, slots = arranged(inputs, [1, 3], HEADING)
    assert [slot.groups for slot in slots] == [(1,)]
    assert fates[3] == "gone"
    assert arranged(inputs, [1, 3], HEADING - 1)[1] == []


def test_words_of_the_user_are_served_first() -> None:
    inputs = plan_inputs(
        [user("Go."), assistant(TALK), PICTURE, user("Use amber."), assistant(TALK), assistant("Done.")]
    )
    quote = Quote("turn", 3, "Use amber.", "#3 user", 3)
    fates, (slot,) = arranged(inputs, [1, 3, 4], 2 * HEADING, quotes=(quote,))
    assert slot.groups == (3, 4)
    assert slot.quotes == (quote,)
    assert fates[1] == "gone"


@pytest.mark.parametrize(
    ("room", "tokens"), [(100, 10), (400, 40), (600, 180), (800, 400), (801, 400.5), (2_000, 1_000)]
)
def test_a_share_grows_from_that_of_a_small_room_to_that_of_a_large_one(room: int, tokens: float) -> None:
    assert share_of(room, 0.1, 0.5) == pytest.approx(tokens)
