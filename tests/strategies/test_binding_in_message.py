"""In a chat, of a message that is cut the sentence that binds goes before a shorter one that only tells."""

from __future__ import annotations

import json

from msgspec.structs import replace

from compactor_cli.profiles import default_profile
from compactor_cli.strategies.shared.chats import chat_lines
from tests.builders import assistant, user
from tests.features.sessions import Told

BINDS = "Also don't touch the loans table, another program writes to it."
TELLS = "We have three branches."
ASKED = (
    "What would a second mail for overdue books take, and what would it look like, do you think, "
    "with the branches in mind?"
)
PROFILE = replace(default_profile(), needed={"bias": 0.0}, binding={"bias": -5.0, "negation": 20.0})
"""All is needed alike, and what forbids binds."""


def order(*records: dict[str, object], room: int) -> list[str]:
    told = Told(*records)
    ranked = chat_lines(told.messages, told.lines, lambda line: 1 + len(told.lines.text(line)) // 3, room, PROFILE)
    return [told.lines.text(line) for line in ranked]


def test_the_sentence_that_binds_goes_before_a_shorter_one_that_tells() -> None:
    talk = (
        user("I've inherited a small service that sends reminders for a library. Where would you begin?"),
        assistant("I would begin with the query: it takes all books that are due, however long ago that was."),
        user(f"{ASKED} {BINDS} {TELLS}"),
        assistant("Then a table of ours, reminder_log, keeps when the last mail went out for each loan."),
        user("I like that name. And dates as ISO everywhere, please."),
    )
    for room in (40, 80, 160):
        lines = order(*talk, room=room)
        at = {text: next((n for n, line in enumerate(lines) if text in line), 99) for text in (BINDS, TELLS)}
        assert at[BINDS] <= at[TELLS] < 99, json.dumps(lines)
