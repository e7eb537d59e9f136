"""What was said before a call: how things were called then, and what the agent had asked the user to agree to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later

_ASKS = compiled_later(r"[?？؟](?:\W|$)")
_SHORTEST = 4
"""Characters from which on a name hardly stands in a text by chance."""


class ToldBefore:
    """The messages of a session, looked through where a call leaves open what it did."""

    def __init__(self, messages: Sequence[Message] = (), *, has_commands: bool = False) -> None:
        """`has_commands`: whether the agent runs commands."""
        self._messages, self.has_commands = messages, has_commands

    def has(self, name: str, message: int) -> bool:
        """Return whether a name stands in what was said, called or put out before a message."""
        if len(name) < _SHORTEST:
            return False
        whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        before = (part.text for known in self._messages if known.index < message for part in known.parts)
        return any(name in text and whole.search(text) is not None for text in before)

    def agreed_to(self, message: int) -> str:
        """Return what the agent said when it last asked the user something who answered before a message, and nobody
        said anything since: a call there may do what the user agreed to. Empty where it did not ask."""
        last = bisect_left(self._messages, message, key=lambda known: known.index) - 1
        before = reversed(self._messages[: last + 1])
        answer = next((known for known in before if known.origin == "request" or _says(known)), None)
        if answer is None or answer.origin != "request":
            return ""
        asked = next((known for known in before if known.origin == "request" or _says(known)), None)
        text = "" if asked is None or asked.role != "assistant" else asked.text("text")
        return text if _ASKS.search(text) else ""


def _says(message: Message) -> bool:
    """Return whether an agent says something to the user, and calls nothing."""
    return message.role == "assistant" and not message.calls and message.text("text").strip() != ""
