"""Items that an answer numbers within a line, and a reply that answers them one by one with the same numbers."""

from __future__ import annotations

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS_WITHIN

_COUNTED = compiled_later(r"(?<!\S)\(?(\d{1,2})[.):](?:\*\*)?[ \t]+(?=\S)")
"""A number that counts what follows it, at the beginning of a line or within one."""
_BEGINS = compiled_later(r"\W*1[.):]")


def answered_in_turn(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return the spans of the items in a line of an answer with a question, if a reply answers them by number,
    starting at 1. Return none if the reply has no numbers, or more than the answer."""
    if not _BEGINS.match(reply) or not ASKS_WITHIN.search(answer):
        return []
    asked, told = _counted(answer), _counted(reply)
    if len(told) < 2 or len(asked) < len(told) or "\n" in answer[asked[0] : asked[len(told) - 1]]:
        return []  # items on separate lines are picked one by one, if the reply is short
    ends = [*asked[1:], len(answer)]
    ends[-1] = asked[-1] + len(answer[asked[-1] :].partition("\n")[0])
    return [(start, start + len(answer[start:end].rstrip())) for start, end in zip(asked, ends, strict=True)]


def _counted(text: str) -> list[int]:
    """Return where the items begin that a text counts from 1; if it counts several times, those of the last count."""
    found: list[int] = []
    last: list[int] = []
    for match in _COUNTED.finditer(text):
        number = int(match[1])
        if number == 1:
            found = [match.start()]
        elif number == len(found) + 1:
            found.append(match.start())
        last = found if len(found) > 1 else last
    return last
