"""Messages and their parts: what a model would see of one turn, whatever format it was saved in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from compactor_cli.model.content import HeldText

PartKind = Literal["text", "thinking", "tool_call", "tool_result", "image", "other"]
Role = Literal["system", "user", "assistant", "tool"]
LEGACY_ID = "function_call:"
"""Begins ids that a reader gave to calls which have none; they change when messages are removed."""
CLOSING_ID = "synthetic:closing"
"""Id of the assistant turn that a repair puts behind a tool result at the very end."""

BETWEEN_ID = "synthetic:between"
"""Id of a turn that stands between two turns of a role, where the API wants roles to alternate."""
NO_RESPONSE = "Tool no response (synthetic: the transcript holds no result for this call)"
"""What a repair gives as the result of a call that has none."""
ADDED = "added"
"""Encoding of a place to which a part is added: behind all that its record's message holds."""

Origin = Literal["request", "injected", "summary", "other"]
Path = tuple["str | int", ...]


class Place(Struct, frozen=True):
    """Where a part's text stands, so that it can be replaced there and nowhere else."""

    record: int
    """Index of the record in the transcript."""
    path: Path
    """Keys and indices from the record's JSON value to the value that holds the text."""
    encoding: str = "string"
    """`string`: a JSON string; `json`: the text is the JSON value; otherwise the value is a list
    with one block whose `type` is this word and whose `text` is the text; `block:WORD`: the value is
    that block itself."""


class Part(Struct, frozen=True):
    """One piece of a message. `text` is what the model reads of it."""

    kind: PartKind
    text: str
    tokens: int
    place: Place | None = None
    """None when the text cannot be edited (signed thinking, unknown blocks)."""
    name: str = ""
    """Tool name of a call (and of a result, where the format repeats it)."""
    call_id: str = ""
    failed: bool | None = None
    """Of a tool result: True or False when the format says so, None when it does not."""
    images: int = 0
    """Pictures in it; each has a fixed cost that `tokens` includes."""
    edited: bool = False
    """The text is not that of the record any more and has to be written to its place."""


_TEXT = vars(Part)["text"]


class HeldPart(Part, frozen=True):
    """A part whose text is read from a file whenever it is looked at; the place of its text holds where to read."""

    @property  # type: ignore[misc]  # read-only in both
    def text(self) -> str:
        held: str | HeldText = _TEXT.__get__(self)
        return held if isinstance(held, str) else held.read()


class Marks(Struct, frozen=True):
    """What memory entries state about themselves (seed 000)."""

    type: str = ""
    importance: str = ""
    tool_success: bool | None = None
    tool_error: bool = False


class Message(Struct, frozen=True):
    """One turn as the model sees it. `index` counts messages of the transcript from 0."""

    index: int
    id: str
    role: Role
    parts: tuple[Part, ...]
    records: tuple[int, ...]
    tokens: int
    """Tokens of all parts and the overhead of a message."""
    timestamp: float | None = None
    """Seconds since 1970, UTC."""
    origin: Origin = "other"
    """For the role user: a real request, or something a harness put there."""
    turn: int | None = None
    """Messages with the same turn belong together although the format saves them apart."""
    pinned: bool = False
    """The format needs this message to stay (it stands for history that is out of context)."""
    marks: Marks | None = None
    given: int | None = None
    """Its number in the input, where a repair has moved it; of an added one that of the message it belongs to."""
    after: int | None = None
    """Record behind which a message that was moved or added stands; None: at its own records."""
    speaker: str = ""
    """Of several people under the role user, the name of the one who speaks, on one line; empty where none is given."""

    def text(self, *kinds: PartKind) -> str:
        """Return texts of the parts of these kinds (all when none is named), joined by line breaks."""
        if len(self.parts) == 1:
            return self.parts[0].text if not kinds or self.parts[0].kind in kinds else ""
        return "\n".join(p.text for p in self.parts if p.text and (not kinds or p.kind in kinds))

    @property
    def number(self) -> int:
        """Return its number in the input: what summaries, tables and reports name it by."""
        return self.index if self.given is None else self.given

    @property
    def is_system_prompt(self) -> bool:
        """Return whether it is a system message; a summary that stands under that role is none."""
        return self.role == "system" and self.origin != "summary"

    @property
    def calls(self) -> tuple[Part, ...]:
        return self._of_kind("tool_call")

    @property
    def results(self) -> tuple[Part, ...]:
        return self._of_kind("tool_result")

    def _of_kind(self, kind: PartKind) -> tuple[Part, ...]:
        if len(self.parts) == 1:  # most messages
            return self.parts if self.parts[0].kind == kind else ()
        return tuple([p for p in self.parts if p.kind == kind])


def by_index(messages: Iterable[Message]) -> dict[int, Message]:
    """Return the messages of an output that stand in its input, each under its index there."""
    return {message.index: message for message in messages if message.index >= 0}


def system_tokens(messages: Iterable[Message]) -> int:
    """Return tokens of the system messages: kept by everybody, so a target has them on top."""
    return sum(message.tokens for message in messages if message.role == "system")


def text_in(parts: Iterable[Part]) -> str:
    """Return the texts among parts, joined by line breaks, also where one is empty."""
    return "\n".join(part.text for part in parts if part.kind == "text")
