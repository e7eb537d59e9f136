"""Messages and their parts: what a model sees of one turn, whatever format it was saved in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from compactor_cli.model.content import FileText

PartKind = Literal["text", "thinking", "tool_call", "tool_result", "image", "other"]
Role = Literal["system", "user", "assistant", "tool"]
LEGACY_ID = "function_call:"
"""Prefix of ids that a reader assigned to calls without one. These ids change when messages are removed."""
CLOSING_ID = "synthetic:closing"
"""Id of the assistant turn that a repair adds after a tool result at the very end."""
CLOSING_TEXT = "Understood."
"""The text of that turn, which is all that identifies it in a later round."""

BETWEEN_ID = "synthetic:between"
"""Id of a placeholder turn between two turns of the same role, for APIs that require alternating roles."""
NO_RESPONSE = "Tool no response (synthetic: the transcript holds no result for this call)"
"""The result that a repair supplies for a call without one."""
ADDED_ENCODING = "added"
"""`Place.encoding` of a part to be added after everything else in its record's message."""

Origin = Literal["request", "injected", "summary", "other"]
Path = tuple["str | int", ...]


class Place(Struct, frozen=True):
    """Where the text of a part is stored, so that exactly this text can be replaced."""

    record: int
    """Index of the record in the transcript."""
    path: Path
    """Keys and indices that lead from the record's JSON value to the value that holds the text."""
    encoding: str = "string"
    """How the value holds the text. `string`: as a JSON string. `json`: the text is the JSON value itself.
    `block:WORD`: the value is a block of type WORD with its text in `text`; `value:WORD`: with its text in `value`. Any
    other word: the value is a list with one block, whose `type` is that word and whose `text` is the text."""


class Part(Struct, frozen=True):
    """One piece of a message. `text` is what the model reads."""

    kind: PartKind
    text: str
    tokens: int
    place: Place | None = None
    """None when the text cannot be edited (signed thinking, unknown blocks)."""
    name: str = ""
    """Name of the called tool (also on a result, if the format repeats it)."""
    call_id: str = ""
    failed: bool | None = None
    """For a tool result: whether it failed; None when the format does not say."""
    images: int = 0
    """Number of images; `tokens` includes a fixed cost for each."""
    edited: bool = False
    """Whether the text differs from the record and still has to be written to its place."""


_TEXT = vars(Part)["text"]


class FilePart(Part, frozen=True):
    """A part whose text is read from a file on every access; the text object says where to read."""

    @property  # type: ignore[misc]  # read-only in both
    def text(self) -> str:
        held: str | FileText = _TEXT.__get__(self)
        return held if isinstance(held, str) else held.read()


class Marks(Struct, frozen=True):
    """What memory entries state about themselves (seed 000)."""

    type: str = ""
    importance: str = ""
    tool_success: bool | None = None
    tool_error: bool = False


class Message(Struct, frozen=True):
    """One turn as the model sees it. `index` counts the messages of the transcript from 0."""

    index: int
    id: str
    role: Role
    parts: tuple[Part, ...]
    records: tuple[int, ...]
    tokens: int
    """Tokens of all parts plus the overhead of a message."""
    timestamp: float | None = None
    """Seconds since 1970, UTC."""
    origin: Origin = "other"
    """For the role user: whether it is a real request or something that a harness inserted."""
    turn: int | None = None
    """Messages with the same turn number belong together although the format stores them separately."""
    pinned: bool = False
    """Whether the format requires this message to stay because it stands for history outside the context."""
    marks: Marks | None = None
    input_number: int | None = None
    """The message's number in the input if a repair moved it. For an added message, the number of the message it
    belongs to."""
    after: int | None = None
    """Index of the record after which a moved or added message is written; None: at its own records."""
    speaker: str = ""
    """With several people under the role user: the speaker's name, without line breaks; empty if unknown."""

    def text(self, *kinds: PartKind) -> str:
        """Return the texts of the parts of these kinds (of all parts if none is named), joined by line breaks."""
        if len(self.parts) == 1:
            return self.parts[0].text if not kinds or self.parts[0].kind in kinds else ""
        return "\n".join(p.text for p in self.parts if p.text and (not kinds or p.kind in kinds))

    @property
    def number(self) -> int:
        """Return the message's number in the input, which summaries, tables and reports use to refer to it."""
        return self.index if self.input_number is None else self.input_number

    @property
    def is_system_prompt(self) -> bool:
        """Return whether this is a real system message, not a summary stored under that role."""
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
    """Return the output messages that come from the input, by their index there."""
    return {message.index: message for message in messages if message.index >= 0}


def ends_with_result(message: Message) -> bool:
    """Return whether a message consists of tool results, after which some APIs accept no user turn. If the user adds a
    request to them, that comes last."""
    return bool(message.results) and message.origin != "request"


def is_closing(messages: Sequence[Message], index: int) -> bool:
    """Return whether a message is the turn that closes a history behind a tool result: nobody said it."""
    message = messages[index]
    if message.id == CLOSING_ID:
        return True
    follows_result = index > 0 and message.role == "assistant" and ends_with_result(messages[index - 1])
    return follows_result and [part.text.strip() for part in message.parts] == [CLOSING_TEXT]


def last_spoken_message(messages: Sequence[Message]) -> Message:
    """Return the last message, but for such a turn."""
    return messages[-2] if len(messages) > 1 and is_closing(messages, len(messages) - 1) else messages[-1]


def system_tokens(messages: Iterable[Message]) -> int:
    """Return the tokens of the system messages. Every strategy keeps these, so they are added to a target."""
    return sum(message.tokens for message in messages if message.role == "system")


def text_in(parts: Iterable[Part]) -> str:
    """Return the texts of the text parts, joined by line breaks; empty texts are included."""
    return "\n".join(part.text for part in parts if part.kind == "text")
