"""Reading what is too large for memory: long texts are put where the content is, and read when they are needed."""

from __future__ import annotations

from compactor_cli.formats.base import Counter
from compactor_cli.model.content import HeldText, Holds

_LONG = 1024
"""Characters from which a text is worth the way to a file."""


class Holding:
    """A counter that also says what a part has for its text."""

    def __init__(self, counter: Counter, content: Holds) -> None:
        self._counter, self._content = counter, content
        self.per_message, self.per_image = counter.per_message, counter.per_image

    def count(self, text: str) -> int:
        return self._counter.count(text)

    def hold(self, text: str) -> str | HeldText:
        """Return the text itself when it is short."""
        return text if len(text) < _LONG else self._content.hold(text)
