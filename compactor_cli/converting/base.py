"""Conversations as turns of items, the interface of conversion targets, and ids and times that depend only on the
input.

Every item knows what it was taken from, so what a target loses or changes can be detected without trusting it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from compactor_cli.converting.message_content import Conversation, SpeakerTurn
from compactor_cli.formats import jsonedit
from compactor_cli.formats.values import uuid_text

UNKNOWN_TIME = 946_684_800.0
"""2000-01-01T00:00:00Z in seconds since 1970, used for anything without a time."""


def digest(*words: str | int) -> str:
    """Return 64 hex digits derived from these words."""
    text = "\0".join(map(str, words))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def uuid_of(*words: str | int) -> str:
    """Return a UUID derived from these words, of version 5, as some agents reject later ones."""
    return uuid_text(digest(*words), version=5, variant="a")


def iso(time: float) -> str:
    """Return a time in the form that agents use: UTC, milliseconds, `Z`."""
    return moment(time).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(time: float) -> datetime:
    """Return a time in UTC. A time outside the calendar becomes UNKNOWN_TIME."""
    try:
        result = datetime.fromtimestamp(time, timezone.utc)
    except (OverflowError, OSError, ValueError):
        result = datetime.fromtimestamp(UNKNOWN_TIME, timezone.utc)
    return result


def millis(time: float) -> int:
    return round(moment(time).timestamp() * 1000)


Attribute = Literal["time", "failed", "injected", "author"]


class WriteContext(Struct, frozen=True):
    """What a target needs for writing besides the conversation."""

    key: str
    """64 hex digits derived from the input and the settings; ids are derived from them."""
    now: float = UNKNOWN_TIME
    """Time of messages in a session without times, in seconds since 1970."""


class Home(NamedTuple):
    """Where an agent looks for a session, and the command that resumes it."""

    place: str
    command: str


class Target:
    """A format that conversations can be written in."""

    name: str
    """Name of the format that reads it."""
    purpose: str
    many = False
    """Whether a file may hold several conversations."""
    closes = False
    """Whether calls in flight at the end get a result that says so."""
    holds: frozenset[Attribute] = frozenset()
    """What it preserves besides content: times, whether a call failed, what a harness inserted under the role user,
    authors' names."""

    def fit(self, turns: tuple[SpeakerTurn, ...]) -> tuple[SpeakerTurn, ...]:
        """Return what the target can hold of arranged turns; every item keeps its spots."""
        raise NotImplementedError

    def records(self, conversation: Conversation, context: WriteContext) -> Iterable[Any]:
        """Return the lines for a conversation from `fit`."""
        raise NotImplementedError

    def write(self, conversations: Sequence[Conversation], context: WriteContext) -> bytes:
        """Return a file with the conversations from `fit`; only one if `many` is false."""
        return jsonedit.lines(record for c in conversations for record in self.records(c, context))

    def file_name(self, conversation: Conversation, context: WriteContext) -> str:
        """Return the name that the target's own program would use, for output to a folder; empty if any will do."""
        return "" if self.many else f"{conversation.session_id}.jsonl"

    def home(self, conversation: Conversation, context: WriteContext) -> Home | None:
        """Return where the agent finds the file; None for formats that belong to no agent."""
        return None


def first_time(conversation: Conversation, context: WriteContext) -> float:
    return next((turn.time for turn in conversation.turns if turn.time is not None), context.now)


def times(conversation: Conversation, context: WriteContext) -> list[float]:
    """Return the time of each turn: its own, else the previous turn's, else the start of the session."""
    filled, last = [], first_time(conversation, context)
    for turn in conversation.turns:
        last = last if turn.time is None else turn.time
        filled.append(last)
    return filled
