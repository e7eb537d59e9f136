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


@pytest.mark.parametrize("target", [400, 600])
def test_of_a_reply_that_picks_nothing_nothing_more_stays(target: int) -> None:
    assert "(1) tell all rates" not in shown("Do what is best for us.", target)
