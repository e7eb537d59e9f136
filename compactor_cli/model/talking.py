"""Conversations between people: detect them, and find the utterances that say more than an interjection."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later

_TRANSCRIBER_MARK = compiled_later(r"[\[{(<][^\]})>\n]*[\]})>]")
"""What a transcriber inserts: `{laugh}`, `[pause]`."""
_WORD = compiled_later(r"[A-Za-z]+(?:[-'][A-Za-z]+)*")
_MAX_WORDS = 2
"""Maximum number of distinct words in an interjection ("Mm-hmm.", "Yeah, OK.", "Right, right, right.")."""
_MIN_CHARS = 80
"""From this many characters on, marks included, a text is more than an interjection."""


def is_between_people(messages: Sequence[Message]) -> bool:
    """Return whether the messages are people talking to each other, with no assistant expected to answer."""
    return any(m.speaker for m in messages) and all(m.role != "assistant" for m in messages)


def is_interjection(text: str) -> bool:
    """Return whether a text is one or two words, possibly repeated, without any digit."""
    if len(text) >= _MIN_CHARS or not text.isascii() or any(map(str.isdigit, text)):
        return False
    return len(set(_WORD.findall(_TRANSCRIBER_MARK.sub("", text).lower()))) <= _MAX_WORDS


def substantial_requests(messages: Sequence[Message]) -> list[Message]:
    """Return the requests that can serve as the first and last one. In a conversation between people, interjections
    are left out unless there is nothing else."""
    requests = [m for m in messages if m.origin == "request"]
    if not is_between_people(messages):
        return requests
    return [m for m in requests if not is_interjection(m.text("text"))] or requests
