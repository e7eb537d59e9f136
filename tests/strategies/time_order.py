"""Check time order by the words of an output alone: by where each of its lines is in the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compactor_cli.model.message import Message

MIN_LINE_CHARS = 25
"""Minimum characters of a line that may show where it comes from."""
_MARKS = "-#*|…→\"'` 0123456789[](){}.,:;"


@dataclass(frozen=True, slots=True)
class Violation:
    """A message that was kept, and a later one whose words come before it."""

    kept: int
    later: int
    line: str


def find_violations(before: Sequence[Message], after: Sequence[Message]) -> list[Violation]:
    """Return every unchanged message of the output that comes after words that only a later message has."""
    holders = _first_messages(before)
    texts = [_flat_text(message.text()) for message in before]
    place = _places(before)
    keys = [_content(message) for message in before]
    same = {key: at for at, key in enumerate(keys) if keys.count(key) == 1}
    found, latest, line = [], -1, ""
    for message in after:
        at = same.get(_content(message))
        if message.role == "system" or (at is None and _content(message) in keys):
            continue
        if at is not None:
            if latest > at:
                found.append(Violation(at, latest, line))
            elif place[at] > latest:
                latest, line = place[at], "(a kept message)"
            continue
        for text in sorted(_lines(message)):
            later = place[holders[text]] if text in holders else -1
            # a line may be part of another line elsewhere
            if later > latest and sum(text in other for other in texts) == 1:
                latest, line = later, text
    return found


def _first_messages(messages: Sequence[Message]) -> dict[str, int]:
    """Return line -> first message that has it."""
    found: dict[str, int] = {}
    for at, message in enumerate(messages):
        for text in _lines(message):
            found.setdefault(text, at)
    return found


def _flat_text(text: str) -> str:
    """Return a text as it reads, inside of JSON or not, with uniform blanks."""
    return " ".join(text.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"').replace("\\\\", "\\").split())


def _places(messages: Sequence[Message]) -> list[int]:
    """Return the places of messages. A result has the place of its call."""
    asked = {call.call_id: at for at, message in enumerate(messages) for call in message.calls}
    return [
        min([at, *(asked.get(result.call_id, at) for result in message.results)]) for at, message in enumerate(messages)
    ]


def _lines(message: Message) -> set[str]:
    """Return the lines that are long enough, without what a summary adds before and after them."""
    found = set()
    for text in message.text().replace("\\n", "\n").splitlines():
        for piece in text.split("…"):
            bare = _flat_text(piece)
            bare = bare.split(" user: ", 1)[-1] if bare.startswith(("#", "earlier #")) else bare
            bare = bare.strip(_MARKS)
            if len(bare) >= MIN_LINE_CHARS:
                found.add(bare)
    return found


def _content(message: Message) -> tuple[object, ...]:
    return message.role, tuple((part.kind, part.text) for part in message.parts)
