"""What gives way to the target, and in which order: work in flight, the system prompt, the user's requests."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from compactor_cli.errors import BudgetError
from compactor_cli.model.plan import Decision
from compactor_cli.model.planning import DECIDED, EARLIER_HISTORY, FIRST_REQUEST, IN_FLIGHT, PlanInput
from compactor_cli.strategies.shared.protected import SUMMARY_RESERVE_TOKENS, keep_protected
from compactor_cli.strategies.shared.renditions import Renderer
from tests.drawing import loop_step
from tests.pipeline.sessions import assistant, compact, filler, result, system, user
from tests.strategies.asked import plan_inputs

pytestmark = pytest.mark.one_test_in(2)

SYSTEM = "".join(f"Row {n} of the table has a rule of its own, and all of them hold. " for n in range(40))
REQUEST = "The table is long, and each of its rows is to be looked at once more. " * 30
IN_HAND = assistant(None, ("c1", "Write", {"path": "out.csv", "content": "7" * 2_000}))
PROTECTED = [system(SYSTEM), user(REQUEST), IN_HAND]
AMONG_OTHERS = [*PROTECTED[:2], *filler(1), IN_HAND]


def kept(inputs: PlanInput, target: int, without: frozenset[int] = frozenset()) -> dict[str, Decision]:
    """Decisions on what is protected, by the reason that it is kept for."""
    groups = [group for group in inputs.groups if group.index in inputs.protected]
    decisions = keep_protected(inputs, Renderer(inputs.messages, inputs.count), groups, target, without)
    assert sum(d.tokens for d in decisions) <= target
    assert [d.reason for d in decisions] == [inputs.protected[d.group] for d in decisions]
    return {d.reason: d for d in decisions}


def cut_at(inputs: PlanInput, target: int) -> set[str]:
    return {why for why, d in kept(inputs, target).items() if d.rendition == "shortened"}


def tokens_of(inputs: PlanInput) -> dict[str, int]:
    return {why: inputs.groups[at].tokens for at, why in inputs.protected.items()}


def floor_of(inputs: PlanInput) -> BudgetError:
    with pytest.raises(BudgetError) as error:
        kept(inputs, 1)
    return error.value


def test_work_in_flight_is_cut_first_then_the_system_prompt_and_the_requests_last() -> None:
    given = plan_inputs(AMONG_OTHERS)
    floor = floor_of(given).floor
    targets = [*range(3_000, floor, -loop_step(7)), floor]
    found = dict.fromkeys(frozenset(cut_at(given, target)) for target in targets)
    names = (IN_FLIGHT, "system message", FIRST_REQUEST)
    assert list(found) == [set(names[:count]) for count in range(4)]
    with pytest.raises(BudgetError):
        kept(given, floor - 1)


def test_work_in_flight_takes_half_of_what_the_requests_leave_and_all_of_it_where_it_must() -> None:
    given = plan_inputs([system(SYSTEM[: len(SYSTEM) // 2]), *AMONG_OTHERS[1:]])
    size = tokens_of(given)
    firm = sum(size.values()) - size[IN_FLIGHT]
    assert not cut_at(given, firm + 2 * size[IN_FLIGHT])
    assert cut_at(given, firm + 2 * size[IN_FLIGHT] - 1) == {IN_FLIGHT}
    least = kept(given, floor_of(given).floor)[IN_FLIGHT].tokens
    assert cut_at(given, firm + least) == {IN_FLIGHT}, "it has all of the room"
    assert cut_at(given, firm + least - 1) != {IN_FLIGHT}


def test_a_system_prompt_is_cut_to_half_of_the_room_that_is_not_decided_on() -> None:
    given = plan_inputs(AMONG_OTHERS)
    size = tokens_of(given)
    firm = sum(size.values()) - size[IN_FLIGHT]
    for target in (firm, firm - 60):
        # the rest is for what was typed
        assert 0.3 * target - 40 < kept(given, target)["system message"].tokens <= target // 2
    decided = plan_inputs(AMONG_OTHERS, frozenset([2]))
    fixed = tokens_of(decided)[DECIDED]
    for target in (firm, firm - 60):
        found = kept(decided, target + fixed)
        assert found[DECIDED].rendition == "whole"
        assert 0.3 * target - 40 < found["system message"].tokens <= target // 2


def test_a_system_prompt_gives_way_only_to_something_else() -> None:
    given = plan_inputs(PROTECTED)
    size = tokens_of(given)
    firm = sum(size.values()) - size[IN_FLIGHT]
    assert kept(given, firm)["system message"].tokens > size["system message"] * 0.8


def test_requests_that_must_be_cut_leave_room_for_a_word_on_what_is_gone() -> None:
    among_others, alone = plan_inputs(AMONG_OTHERS), plan_inputs(PROTECTED)

    def spent(given: PlanInput, target: int) -> int:
        return sum(d.tokens for d in kept(given, target).values())

    floor = floor_of(alone).floor
    for target in range(floor + 100, floor + 500, 20):
        assert FIRST_REQUEST in cut_at(alone, target)
        assert spent(among_others, target + SUMMARY_RESERVE_TOKENS) == spent(alone, target)
    assert spent(alone, floor + 400) > floor + 300
    assert floor_of(among_others).floor == floor, "where there is no room for such a word, there is none"


def test_what_cannot_be_met_is_told_with_what_takes_it_up() -> None:
    given = plan_inputs(AMONG_OTHERS, frozenset([2]))
    error = floor_of(given)
    items = dict(error.items)
    assert list(items) == [given.protected[at] for at in sorted(given.protected)]
    assert items[DECIDED] == tokens_of(given)[DECIDED]
    assert error.floor == sum(items.values())
    assert {why: d.tokens for why, d in kept(given, error.floor).items()} == items


def test_what_the_caller_sees_to_is_left_to_it() -> None:
    given = plan_inputs(AMONG_OTHERS)
    assert set(kept(given, 3_000, without=frozenset([1]))) == {"system message", IN_FLIGHT}


def test_beside_a_system_prompt_that_is_cut_a_long_request_leaves_room_for_what_was_done() -> None:
    prompt = system("\n".join(f"Rule {n}: keep the report of the port number {n} in mind." for n in range(100)))
    task = user(
        "Move the boats to the quays of the town. " + "\n".join(f"Boat {n}{n} has pier {n}." for n in range(99))
    )
    records = [prompt, task]
    for n in range(40):
        records += [assistant(None, (f"c{n}", "move_boat", {"pier": n})), result(f"c{n}", f"at quay {n * 7}")]
    output = compact(records, strategy="adaptive", target_tokens=1_300)
    first, *others = output.messages[1:]
    assert "Move the boats to the quays of the town." in first.text()
    assert len(re.findall(r"move_boat|at quay", " ".join(part.text for m in others for part in m.parts))) >= 36
    assert output.messages[0].tokens > 600


ASKED = "".join(f"- Keep the mirrors of desk {n} as they are.\n" for n in range(6))
FOUND = "".join(f"- Desk {n} stands by the window of its room, and has a lamp of its own.\n" for n in range(30))
ACCOUNT = f"This session is being continued from a previous conversation that ran out of context.\n\n## Files\n{FOUND}"
ACCOUNT += f"\n## All user messages\n{ASKED}\n## Next steps\n- Count the lamps.\n"


@pytest.mark.parametrize(("since", "share"), [(0, 0.15), (2, 0.05)])
def test_what_an_agent_had_written_takes_what_was_asked_and_a_share_for_the_rest(since: int, share: float) -> None:
    behind = [user(f"Now look at desk {n}.") for n in range(since)]
    given = plan_inputs([user(ACCOUNT), *filler(1), *behind, *filler(2), IN_HAND])
    given = replace(given, protected={**given.protected, 0: EARLIER_HISTORY})
    target = 1_600
    told = kept(given, target)[EARLIER_HISTORY]
    assert told.rendition == "shortened"
    (edit,) = told.edits
    assert ASKED in edit.text
    assert "Count the lamps" not in edit.text
    assert edit.tokens < len(ASKED) + share * target + 150
    assert "stands by the window" in edit.text or share < 0.1
