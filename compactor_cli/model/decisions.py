"""What a person decided of messages: which stay, and which go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct, field

Choice = Literal["keep", "drop"]
DROPPED = "dropped by a decision"
"""Why a message is gone that was decided on."""


class Decided(Struct, frozen=True):
    """Decisions on one conversation, by the numbers of its messages. One on a message is one on its group."""

    keep: frozenset[int] = frozenset()
    drop: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.keep or self.drop)


UNDECIDED = Decided()


class Dropped(NamedTuple):
    """A group that a decision took out: the numbers of its messages in the input, and their tokens."""

    messages: tuple[int, ...]
    tokens: int


class Spot(NamedTuple):
    """A message of a file: the number of its conversation, and its own in it, both from 0."""

    conversation: int
    message: int


class Aim(Struct, frozen=True):
    """What decisions were made for; empty values where nothing was said."""

    target_tokens: int | None = None
    target_ratio: float | None = None
    strategy: str = ""


class Decisions(Struct, frozen=True):
    """A file of decisions."""

    input_sha256: str
    format: str
    messages: int
    """Messages that the input had."""
    aim: Aim
    choices: Mapping[Spot, Choice] = field(default_factory=dict)
    fingerprints: Mapping[Spot, str] = field(default_factory=dict)
    """What each of these messages was, so that another one under its number is told from it."""
