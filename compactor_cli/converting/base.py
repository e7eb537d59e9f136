"""What a target of a conversion provides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from compactor_cli.converting.message_content import Conversation
from compactor_cli.converting.stable import UNKNOWN_TIME

Attribute = Literal["time", "failed", "injected", "author"]


class WriteContext(Struct, frozen=True):
    """What a target writes besides the conversation."""

    key: str
    """64 hex digits of the input and the settings: ids are made of them."""
    now: float = UNKNOWN_TIME
    """Seconds since 1970: the time of messages in a session that has no times."""


class Home(NamedTuple):
    """Where an agent looks for a session, and how it goes on with it."""

    place: str
    command: str


class Target(Protocol):
    """A format that conversations are written in."""

    name: str
    """That of the format that reads it."""
    purpose: str
    """One line, for lists."""
    many: bool
    """A file may hold several conversations."""
    holds: frozenset[Attribute]
    """What it keeps of turns and results besides their content: times, whether a call failed, what a harness put under
    the role user, names of authors."""

    def fit(self, conversation: Conversation) -> Conversation:
        """Return the conversation as far as the target can hold it. Every item keeps the spots it was taken from."""

    def write(self, conversations: Sequence[Conversation], context: WriteContext) -> bytes:
        """Return a file with what `fit` made. One conversation where `many` is false."""

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        """Return the name that the target's own program gives such a file, for conversations that are written to a
        folder."""

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        """Return where the agent finds the file; None for formats that are no agent's."""


class NoAgents:
    """A format that is no agent's: nobody looks for its files, by whatever name."""

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        return ""

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        return None


def first_time(conversation: Conversation, context: WriteContext) -> float:
    """Return when the session began."""
    return next((turn.time for turn in conversation.turns if turn.time is not None), context.now)


def times(conversation: Conversation, context: WriteContext) -> list[float]:
    """Return the time of each turn: its own, else that of the turn before it, else when the session began."""
    filled, last = [], first_time(conversation, context)
    for turn in conversation.turns:
        last = last if turn.time is None else turn.time
        filled.append(last)
    return filled
