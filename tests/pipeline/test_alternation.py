"""Where an API refuses two turns of one role in a row, outputs have none, and what stands between them has its room."""

from __future__ import annotations

import json

import pytest

from compactor_cli.errors import BudgetError
from compactor_cli.pipeline.alternation import placeholder_turn, plan_with_placeholders, repeated_roles, separate_turns
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens import make_counter
from tests.builders import compact, jsonl, load
from tests.pipeline.sessions import Json, assistant, transcript, user

COUNTER = make_counter("chars").counter
SUMMARY = "## Session Summary of #1-2 (ctx_00000000, 90 to 40 tokens)\nmuch"


def turn(role: str, text: str) -> Json:
    return {"role": role, "content": [{"text": text}]}


def talk(count: int) -> bytes:
    words = ("the harbour", "a lantern", "the tide", "two anchors", "some rope")
    asked = [turn("user", f"Question {n} about {words[n % 5]}: how much of it is left? " * 3) for n in range(count)]
    told = [turn("assistant", f"Of {words[n % 5]} there are {n * 37} in shed {n % 7}. " * 9) for n in range(count)]
    return jsonl(*(each for pair in zip(asked, told, strict=True) for each in pair))


def filled(records: list[Json], *new: int) -> list[tuple[str, str]]:
    """Role and text of messages with what has to stand between them. `new`: those that are new summaries."""
    messages = [
        message if at not in new else type(message)(-1, "s", message.role, message.parts, (), 9, origin="summary")
        for at, message in enumerate(transcript(records, format="openai-chat").messages)
    ]
    turns = [each for turns in separate_turns(messages, lambda role: placeholder_turn(role, COUNTER)) for each in turns]
    assert repeated_roles(turns) == []
    return [(message.role, message.text()) for message in turns]


def test_turns_that_alternate_are_left_as_they_are() -> None:
    assert filled([user("a"), assistant("b"), user("c")]) == [("user", "a"), ("assistant", "b"), ("user", "c")]


@pytest.mark.parametrize(
    ("records", "between"),
    [([user("a"), user("b")], ("assistant", "[…]")), ([user("x"), assistant("a"), assistant("b")], ("user", "[…]"))],
)
def test_between_turns_of_one_role_stands_one_of_the_other(records: list[Json], between: tuple[str, str]) -> None:
    assert filled(records)[-2] == between
    assert len(filled(records)) == len(records) + 1


def test_the_user_comes_first() -> None:
    assert filled([assistant("a")]) == [("user", "[…]"), ("assistant", "a")]


def test_what_is_the_systems_stands_outside_of_the_row() -> None:
    system = {"role": "system", "content": "s"}
    assert [role for role, _ in filled([system, user("a"), system, assistant("b")])] == [
        "system",
        "user",
        "system",
        "assistant",
    ]


@pytest.mark.parametrize("records", [[user("a"), user(SUMMARY), user("b")], [user("a"), user(SUMMARY)]])
def test_a_new_summary_takes_the_role_that_its_neighbours_do_not_have(records: list[Json]) -> None:
    assert filled(records, 1)[1] == ("assistant", SUMMARY)
    assert len(filled(records, 1)) == len(records)


def test_a_new_summary_keeps_its_role_where_only_one_neighbour_has_it() -> None:
    assert filled([user("a"), user(SUMMARY), assistant("b")], 1) == [
        ("user", "a"),
        ("assistant", "[…]"),
        ("user", SUMMARY),
        ("assistant", "b"),
    ]


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("ratio", [0.6, 0.3, 0.12])
def test_every_output_alternates_within_its_target(strategy: str, ratio: float) -> None:
    result = compact(talk(20), strategy=strategy, target_ratio=ratio)
    roles = [json.loads(line)["role"] for line in result.data.splitlines()]
    assert roles == [("user", "assistant")[n % 2] for n in range(len(roles))]
    (part,) = result.parts
    assert part.target is not None
    assert sum(message.tokens for message in load(result.data).transcripts[0].messages) <= part.target


def test_a_target_that_cannot_be_met_names_the_smallest_that_can() -> None:
    with pytest.raises(BudgetError) as caught:
        compact(talk(20), target_tokens=40)
    assert compact(talk(20), target_tokens=caught.value.floor).parts[0].tokens <= caught.value.floor
    with pytest.raises(BudgetError):
        compact(talk(20), target_tokens=caught.value.floor - 1)


def planner(floor: int, needed: dict[int, int]):
    """A planner of targets from `floor` on: its plan is the target, and what that needs is looked up."""

    def plan(target: int | None) -> int:
        assert target is not None
        if target < floor:
            raise BudgetError(target, floor, (("all", floor),))
        return target

    return lambda target: plan_with_placeholders(plan, lambda made: needed.get(made, 0), target)


def test_a_plan_is_made_again_until_it_leaves_the_room_that_it_needs() -> None:
    assert planner(10, {})(50) == (50, 0)
    assert planner(10, {50: 4, 46: 6, 44: 2})(50) == (44, 6)


def test_where_less_room_is_below_the_floor_the_plan_of_the_floor_is_taken() -> None:
    assert planner(48, {50: 4, 48: 2})(50) == (48, 2)


def test_the_floor_counts_what_its_plan_needs() -> None:
    needs = {48: 5, 49: 5, 50: 5, 51: 5, 52: 5}
    with pytest.raises(BudgetError) as caught:
        planner(48, needs)(50)
    assert (caught.value.target, caught.value.floor) == (50, 53)
    assert sum(tokens for _, tokens in caught.value.items) == 53
    assert planner(48, needs)(53) == (53, 0)
