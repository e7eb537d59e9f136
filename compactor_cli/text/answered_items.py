"""Items that an answer numbers within a line, and a reply that answers them one by one with the same numbers."""

from __future__ import annotations

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import INNER_QUESTION

_ITEM_NUMBER = compiled_later(r"(?<!\S)\(?(\d{1,2})[.):](?:\*\*)?[ \t]+(?=\S)")
"""A number that counts what follows it, at the beginning of a line or within one."""
_FIRST_NUMBER = compiled_later(r"\W*1[.):]")


def answered_spans(answer: str, reply: str) -> list[tuple[int, int]]:
    """Return the spans of the items in a line of an answer with a question, if a reply answers them by number,
    starting at 1. Return none if the reply has no numbers, or more than the answer."""
    if not _FIRST_NUMBER.match(reply) or not INNER_QUESTION.search(answer):
        return []
    question_starts, reply_starts = _item_starts(answer), _item_starts(reply)
    if (
        len(reply_starts) < 2
        or len(question_starts) < len(reply_starts)
        or "\n" in answer[question_starts[0] : question_starts[len(reply_starts) - 1]]
    ):
        return []  # items on separate lines are picked one by one, if the reply is short
    ends = [*question_starts[1:], len(answer)]
    ends[-1] = question_starts[-1] + len(answer[question_starts[-1] :].partition("\n")[0])
    return [(start, start + len(answer[start:end].rstrip())) for start, end in zip(question_starts, ends, strict=True)]


def _item_starts(text: str) -> list[int]:
    """Return where the items begin that a text counts from 1; if it counts several times, those of the last count."""
    starts: list[int] = []
    last_count: list[int] = []
    for match in _ITEM_NUMBER.finditer(text):
        number = int(match[1])
        if number == 1:
            starts = [match.start()]
        elif number == len(starts) + 1:
            starts.append(match.start())
        last_count = starts if len(starts) > 1 else last_count
    return last_count
