"""A session message by message: what each was, what became of it, and why."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from compactor_cli.model.brief import brief
from compactor_cli.model.message import Message
from compactor_cli.model.score import Score

MessageFate = Literal["", "kept", "shortened", "summarized", "dropped", "added"]


class Entry(Struct, frozen=True):
    """One message of the input, or one that only the output has."""

    conversation: int
    fate: MessageFate
    """Empty where nothing was decided yet."""
    before: Message | None
    """None for a message that was added."""
    after: Message | None
    """None for a message that is gone, and where nothing was decided."""
    reason: str = ""
    residual: bool = False
    tier: int | None = None
    score: Score | None = None
    tools: tuple[str, ...] = ()
    """Tools that it calls or that answer in it."""
    files: tuple[tuple[str, int], ...] = ()
    """Paths that its calls and results are about, each with its share of their tokens."""

    def __repr__(self) -> str:
        return brief(self, "before", "after")

    @property
    def message(self) -> Message:
        """Return the message itself, as it was before where there was a before."""
        message = self.before or self.after
        if message is None:  # neither side: nobody makes such an entry
            raise ValueError("an entry has a message before or after")
        return message
