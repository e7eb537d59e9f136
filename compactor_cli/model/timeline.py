"""A session message by message: what each message was, what happened to it, and why."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import brief

MessageFate = Literal["", "kept", "shortened", "summarized", "dropped", "added"]


class Entry(Struct, frozen=True):
    """One message of the input, or one that only the output contains."""

    conversation: int
    fate: MessageFate
    """Empty if nothing was decided yet."""
    before: Message | None
    """None for an added message."""
    after: Message | None
    """None for a message that is gone, or if nothing was decided."""
    reason: str = ""
    residual: bool = False
    tier: int | None = None
    score: Score | None = None
    tools: tuple[str, ...] = ()
    """Tools that the message calls or that answer in it."""
    files: tuple[tuple[str, int], ...] = ()
    """Paths that the message's calls and results refer to, each with its share of their tokens."""

    def __repr__(self) -> str:
        return brief(self, "before", "after")

    @property
    def message(self) -> Message:
        """Return the message as it was before, or as it is after if it was added."""
        message = self.before or self.after
        if message is None:  # nobody creates an entry with neither side
            raise ValueError("an entry has a message before or after")
        return message
