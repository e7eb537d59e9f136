"""The answer to a side question of the newest request, said at the beginning of the work that follows."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive import must_keep
from tests.builders import assistant, call, calling_message, result, user
from tests.features.sessions import Told

BEFORE = user("Mend the nightly export."), assistant("It is mended.")
ASKS = "What did the notes say, 1 in what? And go on with the rest of it."
WORK = (
    calling_message(call("r", "Bash", {"command": "cat rest.txt"})),
    result("r", "nothing of interest"),
    assistant("I found no second place, of all 30 that there are."),
)


def beside(request: str, answer: str, *, stays: bool = True) -> list[list[str]]:
    told = Told(*BEFORE, user(request), assistant(answer), *WORK)
    found = must_keep.request_context(told.messages, told.lines, lambda _: stays)
    return [[told.lines.text(line) for line in lines] for lines in found if lines]


def test_what_was_asked_beside_the_work_does_not_look_unanswered() -> None:
    answer = "It was 1 in 14 of them, on the slow runners of the second floor, says the note of last week there. " * 2
    (found,) = beside(ASKS, f"{answer}\n\nOn with the rest.")
    assert "1 in 14" in " ".join(found)
    assert "On with the rest." not in found


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (ASKS.replace("?", "."), "It was 1 in 14 of them."),
        (ASKS, "I have a look first."),
        (ASKS, "Let me know if you need anything else!"),
        (f"{ASKS} {'The log of the export said nothing of it at all. ' * 20}", "It was 1 in 14 of them."),
        ("Fetch https://host/a?b=1 once more.", "It was 1 in 14 of them."),
    ],
)
def test_where_nothing_is_asked_or_told_nothing_stands_beside_a_request(request_: str, answer: str) -> None:
    assert beside(request_, answer) == []


@pytest.mark.parametrize("stays", [True, False])
def test_what_a_request_picks_comes_where_something_of_it_stays(*, stays: bool) -> None:
    told = Told(
        user("Plan it."),
        assistant("Two ways:\n\n1. one function for the ports\n2. a table\n\nWhich one?"),
        user("2, please"),
        *WORK,
    )
    assert any(must_keep.request_context(told.messages, told.lines, lambda _: stays)) is stays
