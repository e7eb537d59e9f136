"""The content of a conversation, independent of any format: turns of items that know where they came from.

A target changes turns to what it can hold, then writes them. Since every item knows its origin, anything missing or
different afterwards can be detected without trusting the target.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from compactor_cli.model.message import Origin, Role

ItemKind = Literal["text", "thinking", "call", "result", "picture", "other"]
Spot = tuple[int, int]
"""Index of a message in the source, and of a part in it."""


class Seal(NamedTuple):
    """What makes a provider accept its own thought again. It belongs to exactly these bytes of the thought."""

    family: str
    """The provider: `anthropic` or `openai`."""
    value: str
    """The signature, or the encrypted thought."""
    redacted: bool = False
    """Whether the thought consists only of the seal."""


class Picture(NamedTuple):
    """A picture: its base64 data with a media type, or its address. Both are empty if the source lacks them."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    location: Spot = (-1, -1)
    number: int = 0
    """Index among the pictures of its part."""

    @property
    def address(self) -> str:
        """A URL, which may contain the data; empty if there is neither."""
        return f"data:{self.media_type};base64,{self.data}" if self.data else self.url


class Item(Struct, frozen=True):
    """One piece of a turn."""

    kind: ItemKind
    text: str = ""
    """For a call: its arguments, as JSON if they are JSON. For a result: what the model reads."""
    locations: tuple[Spot, ...] = ()
    """The parts that it was taken from: several if they were merged, none if a target added it."""
    name: str = ""
    """Tool name of a call; for a result, that of its call."""
    call_id: str = ""
    link: int = -1
    """Number of the call in the conversation, shared by a call and its result."""
    failed: bool | None = None
    pictures: tuple[Picture, ...] = ()
    seal: Seal | None = None


class SpeakerTurn(Struct, frozen=True):
    """Items of one speaker. Results form a separate turn `tool` directly after their calls."""

    role: Role
    items: tuple[Item, ...]
    time: float | None = None
    """Seconds since 1970, UTC."""
    origin: Origin = "other"
    author: str = ""
    group: int | None = None
    """Assistant turns with the same number are pieces of one turn."""


class Conversation(Struct, frozen=True):
    """The turns of a transcript, and what is known about the session."""

    turns: tuple[SpeakerTurn, ...]
    session_id: str = ""
    cwd: str = ""
    format: str = ""

    def items(self) -> Iterator[tuple[SpeakerTurn, Item]]:
        return ((turn, item) for turn in self.turns for item in turn.items)
