"""What fills a small room does not pass for something else: a result for what the user replied to, or an answer for one
that nobody replied to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from compactor_cli.model.plan import Decision, Rendition
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.strategies.adaptive.arrangement import misleads
from tests.pipeline.sessions import Json, assistant, result, transcript, user

ASKED, CALLED, OFFERED, AGREED, BOOKED = range(5)
CALCULATED: list[Json] = [
    user("I take the first ship."),
    assistant(None, ("c", "calculate", {"expression": "152 + 103"})),
    result("c", "255.0"),
    assistant("It costs $255: $250 by the voucher, and $5 by the card. May I book it?"),
    user("Yes, please go ahead with that."),
    assistant(None, ("b", "book", {"ship": "S7"})),
    result("b", "Error: the price is 305"),
]


def told(group: int, gone: set[int]) -> bool:
    messages = transcript(CALCULATED).messages
    groups = list(form_groups(messages))

    def rendition(index: int) -> Rendition:
        return "gone" if index in gone else "whole"

    decisions = {g.index: Decision(g.index, rendition(g.index), 0, "") for g in groups}
    return misleads(group, cast("Any", SimpleNamespace(groups=groups, messages=messages)), decisions)


@pytest.mark.parametrize(
    ("group", "gone", "misleading"),
    [
        (CALLED, {OFFERED}, True),
        (CALLED, set[int](), False),
        (CALLED, {OFFERED, AGREED}, False),
        (OFFERED, {AGREED}, True),
        (OFFERED, set[int](), False),
        (ASKED, {OFFERED}, False),
        (BOOKED, {OFFERED, AGREED}, False),
    ],
)
def test_a_group_misleads_without_what_followed_it(group: int, gone: set[int], misleading: bool) -> None:
    assert told(group, gone) == misleading
