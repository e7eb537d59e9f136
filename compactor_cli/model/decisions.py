"""A person's decisions about which messages to keep and which to drop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct, field

Choice = Literal["keep", "drop"]
DROPPED = "dropped by a decision"
"""The reason given for a message that a decision dropped."""


class Decided(Struct, frozen=True):
    """Decisions about one conversation, by message number. A decision about a message applies to its whole group."""

    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.keep or self.drop)


UNDECIDED = Decided()


class Dropped(NamedTuple):
    """A group that a decision dropped: the numbers of its messages in the input, and its tokens."""

    messages: tuple[int, ...]
    tokens: int


class MessageKey(NamedTuple):
    """A message in a file: the number of its conversation and its number within it, both counted from 0."""

    conversation: int
    message: int


class Aim(Struct, frozen=True):
    """The target and strategy that the decisions were made for; a field is empty if none was given."""

    target_tokens: int | None = None
    target_ratio: float | None = None
    strategy: str = ""


class Decisions(Struct, frozen=True):
    """The contents of a decisions file."""

    input_sha256: str
    format: str
    messages: int
    """Number of messages in the input."""
    aim: Aim
    choices: Mapping[MessageKey, Choice] = field(default_factory=dict)
    fingerprints: Mapping[MessageKey, str] = field(default_factory=dict)
    """Fingerprint of each message in `choices`, which shows whether a different message now has its number."""
