"""The original task is the first request, also where that stands as a message of its own before an earlier summary."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.settings import Settings
from tests.builders import assistant, jsonl, user

_FIRST = "Plan a week in Lisbon for two of us: flights, a hotel near the river, and never a night train."
_SUMMARY = (
    "## Session Summary of #1-9 (ctx_0a1b2c3d)\n#3 user: Take the first one. Back on the 17th would suit us better.\n"
    "#5: The Tejo has a room for both of you."
)


@pytest.mark.parametrize("before", [True, False])
def test_a_request_of_an_earlier_summary_is_not_taken_for_the_first(before: bool) -> None:
    told = [user(_FIRST), user(_SUMMARY)] if before else [user(_SUMMARY), user(_FIRST)]
    steps = [
        message
        for day in range(60)
        for message in (
            user(f"What about day {day}? We would like to see tower {day} and eat something small beside it."),
            assistant(
                f"On day {day} tower {day} opens at nine. A place beside it has soup and bread for {day + 4} euros."
            ),
        )
    ]
    settings = Settings(target_tokens=1500, strategy="rolling")
    (part,) = api.compact(api.load(jsonl(*told, assistant("Gladly."), *steps)), settings).parts
    text = "\n".join(message.text() for message in part.messages)
    task = text.partition("### Original Task")[2].partition("\n")[2].partition("\n")[0]
    assert task == (_FIRST if before else "Take the first one. Back on the 17th would suit us better.")
