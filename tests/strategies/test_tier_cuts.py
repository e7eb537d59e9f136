"""How far a tier cuts what stays of it, and the room that is held back for a word on what does not."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.report import Compaction
from compactor_cli.settings import TierSettings
from tests.pipeline.sessions import Json, assistant, compact, long_session, result, system, user

pytestmark = pytest.mark.one_test_in(2)

ONLY = {1: (10, 70, 70), 2: (10, 10, 70), 3: (10, 25, 50)}
"""Tier -> borders for which it has most of a session."""


def reading(size: int, exchanges: int) -> list[Json]:
    """A session of calls whose outputs have `size` tokens each."""
    records = [system(), user("Add up all parts, one by one.")]
    for part in range(exchanges):
        rows = "\n".join(f"{part:02} {row:03} 7" for row in range(size))[: 4 * size]
        records += [assistant(None, (f"c{part}", "Read", {"path": f"part{part}.csv"})), result(f"c{part}", rows)]
    return [*records, user("Now write the sum.")]


def kept(part: Compaction, tier: int) -> list[int]:
    """Exchanges of a tier of which something stays."""
    assert part.plan is not None
    own = [d for d in part.plan.decisions if d.reason.startswith(f"tier {tier}")]
    return [d.group for d in own if d.rendition in ("whole", "shortened")]


@pytest.mark.parametrize(
    ("tier", "exchanges", "size", "stay"),
    # larger outputs give a tier more room: of the larger size each of one more can keep its tokens
    [(1, 36, 865, 29), (1, 36, 866, 30), (2, 36, 344, 17), (2, 36, 345, 18), (3, 40, 176, 2), (3, 40, 177, 3)],
)
def test_as_many_exchanges_stay_as_have_room_for_600_200_or_80_tokens_of_their_outputs(
    tier: int, exchanges: int, size: int, stay: int
) -> None:
    part = compact(reading(size, exchanges), strategy="tiered", tiers=TierSettings(borders=ONLY[tier]))
    assert len(kept(part, tier)) == stay


def writing(characters: int) -> list[Json]:
    """A session of calls with a string of so many characters in their arguments."""
    records = [system(), user("Write all parts, one by one.")]
    for part in range(60):
        content = f"{part:02} " * characters
        arguments = {"path": "part.csv", "content": content[:characters], "rows": list(range(400))}
        records += [assistant(None, (f"c{part}", "Write", arguments)), result(f"c{part}")]
    return [*records, user("Now write the sum.")]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("tier", "characters"), [(1, 1200), (2, 400), (3, 160)])
def test_strings_in_arguments_keep_1200_400_or_160_characters(tier: int, characters: int) -> None:
    def longest(given: int) -> int:
        """Characters of the string in the newest exchange of the tier, with its mark."""
        part = compact(writing(given), strategy="tiered")
        assert part.plan is not None
        newest = part.plan.decisions[max(kept(part, tier))]
        return max((len(json.loads(edit.text)["content"]) for edit in newest.edits), default=given)

    border = characters + 60  # a mark takes about as much
    assert longest(border) == border
    assert characters <= longest(border + 1) < border
    assert characters <= longest(3 * border) < border


@pytest.mark.parametrize("target", [300, 400, 500, 700, 1_000])
def test_a_small_target_has_room_to_say_what_is_gone(target: int) -> None:
    for records in (long_session(40), long_session(14, words=120)):
        part = compact(records, strategy="tiered", target_tokens=target)
        assert part.plan is not None
        assert not [d.reason for d in part.plan.decisions if d.rendition == "gone"]
        said = [m for m in part.messages if m.origin == "summary"]
        assert said
        assert part.plan.slots[0].budget >= 58


def test_a_request_at_the_end_of_a_tier_is_not_open_when_the_agent_went_on_behind_it() -> None:
    ends = []
    for exchanges in range(12, 30):
        answer = "It is of oak and sits well in its frame. " * 8
        talk = [record for n in range(exchanges) for record in (user(f"Is hinge {n} sound?"), assistant(answer))]
        part = compact([system(), *talk], strategy="tiered", target_ratio=0.4, recent_messages=5)
        assert part.plan is not None
        ends += [part.repaired.messages[part.groups[slot.groups[-1]].messages[-1]].origin for slot in part.plan.slots]
        assert not any("not answered" in message.text() for message in part.messages)
    assert "request" in ends
