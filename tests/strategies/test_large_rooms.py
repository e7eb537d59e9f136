"""Rooms beyond what is given out line by line: the newest groups stay whole, behind what the user said before."""

from __future__ import annotations

from tests.builders import call, calling_message, compact, jsonl, result, user
from tests.drawing import is_drawing

RULES = [
    f"Rule {n}: never let handler_{n} write to table_{n * 13} while the export of region {n * 7} runs, "
    f"and tell me before you touch limit_{n}; {n % 9} retries are the most that the {n % 5}th gateway takes."
    for n in range(560 if is_drawing() else 900)
]
"""What so many requests ask: about 28,000 tokens of four characters, or 45,000."""


def session():
    for n, rule in enumerate(RULES):
        yield user(rule)
        yield calling_message(call(f"c{n}"))
        yield result(f"c{n}", "\n".join(f"row {n}.{line} holds value_{n * line}" for line in range(120)))


def test_all_requests_are_whole_where_they_have_room_in_their_share_of_the_whole_target():
    part = compact(jsonl(*session()), target_ratio=0.25, strategy="adaptive").parts[0]
    asked = sum(len(rule) for rule in RULES) // 4
    assert 0.4 * 60_000 < asked < 0.4 * part.target
    output = part.data.decode()
    assert [rule for rule in RULES if rule not in output] == []
    newest = len(RULES) // 3  # messages, of three for each rule
    numbers = range(3 * len(RULES))
    assert [m.index for m in part.messages[-newest:]] == [*numbers[-newest:]]  # they stay as they were
