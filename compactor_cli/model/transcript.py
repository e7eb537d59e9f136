"""A transcript: the bytes it came from, its records, and the messages read from them."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct, field

from compactor_cli.model.content import Content
from compactor_cli.model.message import Message

_TOKENS: Callable[[Message], int] = attrgetter("tokens")


def brief(value: Struct, *without: str) -> str:
    """Return the repr of a value without the named fields."""
    shown = (f"{name}={getattr(value, name)!r}" for name in value.__struct_fields__ if name not in without)
    return f"{type(value).__name__}({', '.join(shown)})"


class Record(Struct, frozen=True, gc=False):
    """One JSON value of the input: its line (from 1) and its span in the transcript's source bytes."""

    line: int
    start: int
    end: int


class Note(Struct, frozen=True):
    """An observation made while reading or repairing. `index` is a line number or a message index."""

    kind: str
    index: int
    detail: str = ""


class Link(NamedTuple):
    """A record's own id, its parent's id, and the chain that it belongs to (sidechains are separate chains)."""

    id: str
    parent: str
    chain: str = ""


class Wrapper(NamedTuple):
    """The JSON string that holds the text of a conversation, and the bytes before and after it."""

    before: bytes
    literal: bytes
    """As in the input, including quotation marks and escapes."""
    after: bytes


class Names(NamedTuple):
    """How records are stored as members of an object, each under its own id."""

    colon: bytes
    """The bytes between a name and its value."""
    start: int
    """Offset of the first name in the source."""
    end: int
    """Offset where the last value ends."""


class Layout(Struct, frozen=True):
    """The bytes around the records: `pieces` before and after them, `separator` between them.

    A piece is bytes, or the index of a record that stays where it is (a top-level system prompt). None marks the
    place of the records.
    """

    pieces: tuple[bytes | int | None, ...] = (None,)
    separator: bytes = b"\n"
    wrapper: Wrapper | None = None
    """Set if the whole content is the text of a JSON string."""
    names: Names | None = None
    """Set if the records are the members of an object."""


class Transcript(Struct, frozen=True):
    """One conversation. A file holds a single one, or one per line (`conversations`)."""

    path: str
    format: str
    source: Content
    records: tuple[Record, ...]
    messages: tuple[Message, ...]
    layout: Layout = Layout()
    owners: dict[int, int] = field(default_factory=dict)
    """Record that is not itself a message -> index of the message that it goes with."""
    copies: frozenset[int] = frozenset()
    """Records that repeat the text of their message for display. They are removed once that text is shortened."""
    outside: frozenset[int] = frozenset()
    """Records that the agent no longer sends and does not need to load the session: old branches, history before its
    own compaction, progress, snapshots."""
    links: tuple[Link | None, ...] = ()
    """Id and parent of each record, in formats whose records link to each other."""
    message_records: frozenset[int] = frozenset()
    """Records that hold messages, including messages that a repair removed."""
    notes: tuple[Note, ...] = ()
    session_id: str = ""
    folder: str = ""
    """Absolute path of the folder that the session works in; empty if the file does not say."""
    counted: tuple[int, int] | None = None
    """The provider's newest token count, if it is stored outside the records: the last message that it covers, and
    the tokens."""

    def __repr__(self) -> str:
        return brief(
            self, "source", "records", "messages", "layout", "owners", "copies", "outside", "links", "message_records"
        )

    @property
    def tokens(self) -> int:
        return sum(map(_TOKENS, self.messages))

    def raw(self, record: int) -> bytes:
        """Return the original bytes of a record."""
        span = self.records[record]
        return self.source[span.start : span.end]


class Source(Struct, frozen=True):
    """One input file: its bytes, its conversations, and the bytes that join them."""

    path: str
    format: str
    data: Content
    transcripts: tuple[Transcript, ...]
    joints: tuple[bytes, ...] = (b"", b"")
    """Bytes before the first conversation, between conversations, and after the last one (one item more than there
    are conversations)."""
    notes: tuple[Note, ...] = ()
    packed: Content = b""
    """The file as stored, if `data` was unpacked from it; otherwise empty."""

    def __repr__(self) -> str:
        return brief(self, "data", "packed")

    @property
    def tokens(self) -> int:
        return sum(transcript.tokens for transcript in self.transcripts)

    @property
    def stored(self) -> Content:
        """Return the bytes of the file as stored."""
        return self.packed or self.data

    @property
    def message_count(self) -> int:
        return sum(len(transcript.messages) for transcript in self.transcripts)
