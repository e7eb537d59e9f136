"""What a conversation says, apart from any format: turns of items, with where each came from.

A target changes turns to what it can hold and writes them. As every item knows the place it was taken from, what is
missing or different behind that can be told without trusting the target.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from compactor_cli.model.message import Origin, Role

ItemKind = Literal["text", "thinking", "call", "result", "picture", "other"]
Spot = tuple[int, int]
"""Number of a message of the source, and of a part in it."""


class Seal(NamedTuple):
    """What makes a thought one that its own provider accepts back. It belongs to the thought byte for byte."""

    family: str
    """Whose it is: `anthropic` or `openai`."""
    value: str
    """Signature, or the encrypted thought."""
    redacted: bool = False
    """The thought is nothing but the seal."""


class Picture(NamedTuple):
    """A picture: its data in base64 with their type, or the address of one. Neither is there where the source does
    not hold it."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    spot: Spot = (-1, -1)
    number: int = 0
    """Number among the pictures of its part."""

    @property
    def address(self) -> str:
        """A URL, which may hold the data; empty where there are none."""
        return f"data:{self.media_type};base64,{self.data}" if self.data else self.url

    @property
    def content(self) -> str:
        """Return what it is, wherever it stands."""
        return self.address


class Item(Struct, frozen=True):
    """One piece of a turn."""

    kind: ItemKind
    text: str = ""
    """Of a call its arguments, as JSON where they are JSON; of a result what the model reads of it."""
    spots: tuple[Spot, ...] = ()
    """The parts it was taken from: several where they were joined, none where a target added it."""
    name: str = ""
    """Tool name of a call, and of a result that of its call."""
    call_id: str = ""
    link: int = -1
    """Number of the call in the conversation, the same for a call and its result."""
    failed: bool | None = None
    pictures: tuple[Picture, ...] = ()
    seal: Seal | None = None


class SpeakerTurn(Struct, frozen=True):
    """Items of one speaker; results are a turn `tool` of their own, right behind their calls."""

    role: Role
    items: tuple[Item, ...]
    time: float | None = None
    """Seconds since 1970, UTC."""
    origin: Origin = "other"
    author: str = ""
    group: int | None = None
    """Turns of the assistant with the same number are pieces of one."""


class Conversation(Struct, frozen=True):
    """The turns of a transcript and what is known of the session."""

    turns: tuple[SpeakerTurn, ...]
    session_id: str = ""
    cwd: str = ""
    format: str = ""
    """What it was saved in."""

    def items(self) -> Iterator[tuple[SpeakerTurn, Item]]:
        """Return all items with their turns, in order."""
        return ((turn, item) for turn in self.turns for item in turn.items)
