"""The last request that a summary ends with stands before its answers in the next round."""

from __future__ import annotations

import pytest

from compactor_cli import api
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import is_summary
from compactor_cli.summary_text.reading import earlier_words, in_turn
from tests.builders import assistant, jsonl, user

_HEAD = "## Session Summary of #0-5 (ctx_0a1b2c3d, whole transcript 1,000 to at most 250 tokens)\n"
_LINES = "#0 user: Book the hall.\n#1: The hall is booked.\n#4 book: room=7\n#5: Room 7 is booked.\n and paid"
_LAST = "\n\nLast request from user was: Book a room, too.\nFor two nights."
_BUS = (assistant("A fine day, by the sound of it."), user("Now book a bus."))
_MOVED = "earlier user: Book a room, too.\n For two nights.\n"


@pytest.mark.parametrize(
    ("since", "before"),
    [
        ("", "#4 book"),
        ("\n\nThe agent has replied to the last request, which stands below [#3-5].", "#4 book"),
        ("\n\nThe agent has replied to the last request, which stands below [#5].", "#5: "),
        ("\n\nThe agent has acted on the last request, which stands below [#4-5]: 1 call, the last book.", "#4 book"),
    ],
)
def test_the_request_goes_before_what_followed_it(since: str, before: str) -> None:
    text = in_turn(f"{_HEAD}{_LINES}{since}{_LAST}")
    assert text == _HEAD + _LINES.replace(before, f"{_MOVED}{before}")
    assert is_summary(text)
    assert [words.text for words in earlier_words(text, "user")] == [
        "Book the hall.",
        "Book a room, too.\nFor two nights.",
    ]


def test_a_request_behind_which_nothing_is_quoted_stays_at_the_end() -> None:
    lines = "#0 user: Book the hall.\n#1: The hall is booked."
    assert in_turn(f"{_HEAD}{lines}{_LAST}") == f"{_HEAD}{lines}\n{_MOVED.rstrip()}"


@pytest.mark.parametrize(
    "text",
    [
        f"{_HEAD}{_LINES}",
        f"{_LINES}{_LAST}",
        f"Somebody wrote:\n\n{_HEAD}{_LINES}{_LAST}",
        f"{_HEAD}{_LINES}\n \n Last request from user was: X",
        "## Session Summary (Compaction Round 1)\nStands for messages 0-5 (90 tokens; ctx_0a1b2c3d).\n\n"
        f"### Original Task (the only request, at the end of this summary){_LAST}",
        "Last request from user was: X",
        "",
    ],
)
def test_other_texts_are_read_as_they_are(text: str) -> None:
    assert in_turn(text) == text


def test_what_was_done_is_not_told_as_open_in_the_next_round() -> None:
    talk = [
        user("Book the hall in Ghent for 4 May."),
        assistant("The hall in Ghent is booked for 4 May, number GH-2281."),
        user("Book 12 rooms at the Marbella, too."),
        assistant("The Marbella has confirmed 12 rooms, number MB-7730."),
    ]
    filler = "I walked along the canal and thought about nothing in particular for most of the day. " * 3

    first = [*(m for n in range(9) for m in (user(f"Day {n}. {filler}"), assistant(f"Nice. {filler}"))), *talk]
    settings = Settings(target_tokens=170, strategy="handoff")
    (part,) = api.compact(api.load(jsonl(*first)), settings).parts
    after = [{"role": m.role, "content": m.text()} for m in part.messages]
    (part,) = api.compact(api.load(jsonl(*after, user(f"Later. {filler}"), *_BUS)), settings).parts
    text = "\n".join(m.text() for m in part.messages)
    assert -1 < text.find("Book 12 rooms") < text.find("MB-7730") < text.find("Now book a bus.")
