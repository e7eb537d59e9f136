"""A text that the agent wrote for the user stays whole where there is room: its changes are told by parts."""

from __future__ import annotations

import pytest

from tests.pipeline.sessions import Json, assistant, compact, user
from tests.strategies import work

LETTER = (
    "Dear neighbours,",
    "the tide will be high on Friday, and the path along the wall is going to be wet for most of the day.",
    "Please keep to the upper road, and take your boats out of the lower harbour before it gets dark.",
    "We are sorry for the trouble, and thank you for your patience.",
)


def session(draft: str) -> list[Json]:
    ask = [
        user("Write a note to the neighbours, too. Do not send it yet."),
        assistant(f"Here it is, not sent:\n\n{draft}"),
    ]
    return [
        *(record for n in range(3) for record in work.task(n)),
        *ask,
        *(record for n in range(3, 6) for record in work.task(n)),
    ]


QUOTED = "\n".join(f"> {line}" for line in LETTER)
BLOCK = "\n".join(["```text", *LETTER, "```"])
RULED = "\n".join(["---", *LETTER, "", "---"])


def letter_lines(draft: str, ratio: float = 0.2) -> int:
    told = "\n".join(
        message.text() for message in compact(session(draft), strategy="adaptive", target_ratio=ratio).messages
    )
    return sum(line in told for line in LETTER)


@pytest.mark.parametrize("draft", [QUOTED, BLOCK, RULED])
def test_a_text_that_was_put_apart_stays_whole(draft: str) -> None:
    assert letter_lines(draft) == len(LETTER)


@pytest.mark.parametrize(
    "draft",
    [
        " ".join(LETTER),
        "\n".join(["---", "## What I did", *LETTER, "", "---"]),
        "\n".join(["```text", *(f"total[{n}] = {{'a': {n}}};  # {line}" for n, line in enumerate(LETTER)), "```"]),
    ],
    ids=["prose", "part of an answer", "code"],
)
def test_what_is_no_text_for_somebody_has_no_room_of_its_own(draft: str) -> None:
    assert letter_lines(draft, 0.1) < len(LETTER)
