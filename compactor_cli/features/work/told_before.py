"""What was said before a call: how things were called then."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli.model.message import Message

_SHORTEST = 4
"""Characters from which on a name hardly stands in a text by chance."""


class ToldBefore:
    """The messages of a session, looked through where a call leaves open what it did."""

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self._messages = messages

    def has(self, name: str, message: int) -> bool:
        """Return whether a name stands in what was said, called or put out before a message."""
        if len(name) < _SHORTEST:
            return False
        whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        before = (part.text for known in self._messages if known.index < message for part in known.parts)
        return any(name in text and whole.search(text) is not None for text in before)
