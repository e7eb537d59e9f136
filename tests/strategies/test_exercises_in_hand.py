"""The exercise that the newest replies of a chat work at stays with its figures."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.required import exercise_lines
from tests.builders import assistant, compact, jsonl, prose, user
from tests.features.sessions import Told

TEXT = (
    "A miner stands before three doors. Door 1 leads out after 12 hours; door 2 leads back after 23 hours; door 3 leads"
    " back after 35 hours. He picks at random each time. How long does it take him to get out?"
)
TRY, HINT, NEWEST = (
    "(12+23+35)/3, is it?",
    "That is his first choice. What if he comes back?",
    "oh. then he picks again",
)


def chat(text: str = TEXT, reply: str = TRY) -> list[dict[str, object]]:
    older = [
        turn
        for at in range(10)
        for turn in (user(prose(f"I think about coin {at} and its side.", 1)), assistant(prose("Well thought.", 4)))
    ]
    asked = [assistant(f"Well done, first time.\n\n{text}"), user(reply), assistant(HINT), user(NEWEST)]
    return [*older, user("Give me one about time."), *asked]


def found(*records: dict[str, object], room: int = 400, there: str = "-") -> str:
    told = Told(*records)
    taken = exercise_lines(
        told.messages,
        told.lines,
        lambda line: len(told.lines.text(line)) // 4 + 1,
        lambda line: there in told.lines.text(line),
        room,
    )
    return " ".join(map(told.lines.text, taken))


@pytest.mark.parametrize("ratio", [0.14, 0.16, 0.18])
def test_an_exercise_stays_with_its_figures(ratio: float) -> None:
    (part,) = compact(jsonl(*chat()), target_ratio=ratio).parts
    text = " ".join(" ".join(message.text() for message in part.messages).split())
    assert TEXT in text


def test_the_whole_paragraph_is_taken_and_nothing_before_it() -> None:
    assert found(*chat()) == TEXT


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (TEXT, "I give up"),  # works with none of its figures
        (TEXT, "maybe 12?"),
        (TEXT.replace("?", "."), TRY),
        (f"{TEXT}\n\nTake your time, and draw the 3 doors on paper.", TRY),
        (f"{TEXT}\n\nShall I draw it?", TRY),
        (f"{TEXT} " + "The mine of 12 shafts is older than the town of 23 streets. " * 8 + "Ready?", TRY),
        ("A miner stands before some doors. Which one leads out?", TRY),
    ],
)
def test_what_no_reply_works_at_is_no_exercise_in_hand(text: str, reply: str) -> None:
    assert not found(*chat(text, reply))


def test_an_exercise_of_long_ago_is_not_in_hand() -> None:
    later = [turn for _ in range(3) for turn in (assistant("Right."), user("And now something else, please."))]
    assert not found(*chat(), *later)


def test_an_exercise_without_room_or_that_is_there_anyway_is_not_taken() -> None:
    assert not found(*chat(), room=100)
    assert not found(*chat(), there="")
