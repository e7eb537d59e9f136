"""What a reply picks of an answer stays with it, though both are long ago."""

from __future__ import annotations

import pytest

from tests.pipeline.sessions import assistant, compact, result, user
from tests.strategies.test_newest_exchanges import TASK, readings

OFFER = (
    "The portal shows one rate and one country, and after a move there are two of both of them. "
    "I can (1) tell all rates beside them and keep those of the last day, or (2) change the shape for all. "
    "Nobody else reads it, as far as I can see."
)


def shown(reply: str, target: int) -> str:
    records = [
        user(TASK),
        assistant(OFFER),
        user(reply),
        *readings(),
        assistant("That was all of it."),
        user("Now have a look at the quay."),
        assistant(None, ("q", "Bash", {"command": "make quay"})),
        result("q", "done"),
    ]
    return "\n".join(m.text() for m in compact(records, target_tokens=target, strategy="adaptive").messages)


@pytest.mark.parametrize("target", [400, 600, 800])
def test_the_item_that_a_reply_picks_stays(target: int) -> None:
    assert "(1) tell all rates" in shown("(1). The team is away.", target)


@pytest.mark.parametrize("target", [400, 600])
def test_of_a_reply_that_picks_nothing_nothing_more_stays(target: int) -> None:
    assert "(1) tell all rates" not in shown("Do what is best for us.", target)


FINDINGS = "\n".join(
    [
        "I looked at the plan of the harbour again:",
        *(
            f"- R{n}: the gauge {n} of the quay shows {n * 37} where the plan has {n * 41}, so it is wrong."
            for n in range(4)
        ),
        "- R12: the sluice opens twice when two ships come at the same moment, since nobody holds the lock.",
        *(
            f"- R{n}: the gauge {n} of the quay shows {n * 37} where the plan has {n * 41}, so it is wrong."
            for n in range(5, 9)
        ),
    ]
)
