"""People who talk with each other: whether a transcript is of them, and which of their words say more than a nod."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later

_MARKED = compiled_later(r"[\[{(<][^\]})>\n]*[\]})>]")
"""What a writer of minutes puts in: `{laugh}`, `[pause]`."""
_WORD = compiled_later(r"[A-Za-z]+(?:[-'][A-Za-z]+)*")
_FEW = 2
"""Different words up to which nothing is asked, as in "Mm-hmm.", "Yeah, OK." and "Right, right, right."."""
_SHORT = 80
"""Characters from which on a text is more than that; marks count."""


def people_talk(messages: Sequence[Message]) -> bool:
    """Return whether people talk with each other: nobody is there of whom an answer is awaited."""
    return any(m.speaker for m in messages) and all(m.role != "assistant" for m in messages)


def is_interjection(text: str) -> bool:
    """Return whether what somebody says is one or two words, however often, that name no number."""
    if len(text) >= _SHORT or not text.isascii() or any(map(str.isdigit, text)):
        return False
    return len(set(_WORD.findall(_MARKED.sub("", text).lower()))) <= _FEW


def telling_requests(messages: Sequence[Message]) -> list[Message]:
    """Return the requests, of which the first and the last stand for what is asked: where people talk with each other
    those that are more than an interjection, if there is one."""
    requests = [m for m in messages if m.origin == "request"]
    if not people_talk(messages):
        return requests
    return [m for m in requests if not is_interjection(m.text("text"))] or requests
