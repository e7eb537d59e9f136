"""A transcript: the bytes it came from, its records, and the messages read from them."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct, field

from compactor_cli.model.brief import brief
from compactor_cli.model.content import Content
from compactor_cli.model.message import Message

_TOKENS: Callable[[Message], int] = attrgetter("tokens")


class Record(Struct, frozen=True, gc=False):
    """One JSON value of the input: its line (from 1) and its span in the transcript's source bytes."""

    line: int
    start: int
    end: int


class Note(Struct, frozen=True):
    """Something met while reading or repairing. `index` is a line number, or a message index."""

    kind: str
    index: int
    detail: str = ""


class Link(NamedTuple):
    """A record's own id, its parent's, and the chain it is part of (sidechains stay apart)."""

    id: str
    parent: str
    chain: str = ""


class Wrapper(NamedTuple):
    """The JSON string that holds a conversation's text, and what stands before and behind it."""

    before: bytes
    literal: bytes
    """As it is in the input, quotation marks and escapes included."""
    after: bytes


class Names(NamedTuple):
    """How records stand in an object, each under its own id."""

    colon: bytes
    """What stands between a name and its value."""
    start: int
    """Where the first name begins in the source."""
    end: int
    """Where the last value ends."""


class Layout(Struct, frozen=True):
    """What stands around the records: `pieces` before and after them, `separator` between them.

    A piece is bytes, or the index of a record that stays where it is (a top-level system prompt);
    None marks the place of the records.
    """

    pieces: tuple[bytes | int | None, ...] = (None,)
    separator: bytes = b"\n"
    wrapper: Wrapper | None = None
    """Set where all of it is the text of a JSON string."""
    names: Names | None = None
    """Set where the records are the members of an object."""


class Transcript(Struct, frozen=True):
    """One conversation. A file holds one, or one a line (`conversations`)."""

    path: str
    format: str
    source: Content
    records: tuple[Record, ...]
    messages: tuple[Message, ...]
    layout: Layout = Layout()
    owners: dict[int, int] = field(default_factory=dict)
    """Record that is no message itself -> index of the message it goes with."""
    copies: frozenset[int] = frozenset()
    """Records that repeat the text of their message for display: gone once that text is shortened."""
    outside: frozenset[int] = frozenset()
    """Records that the agent no longer sends and can load the session without: old branches, what stands before its
    own compaction, progress, snapshots."""
    links: tuple[Link | None, ...] = ()
    """Identity and parent of each record, in formats whose records point to each other."""
    message_records: frozenset[int] = frozenset()
    """Records that hold messages, repaired away or not."""
    notes: tuple[Note, ...] = ()
    session_id: str = ""
    folder: str = ""
    """Absolute path of the folder that the session works in; empty where the file does not say."""
    counted: tuple[int, int] | None = None
    """What stands around the records of the provider's newest count: the last message that it holds, and its tokens."""

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
    """One input file: its bytes and the conversations in it, joined by what stands between them."""

    path: str
    format: str
    data: Content
    transcripts: tuple[Transcript, ...]
    joints: tuple[bytes, ...] = (b"", b"")
    """Bytes before the first conversation, between them, and after the last (one more than them)."""
    notes: tuple[Note, ...] = ()
    packed: Content = b""
    """The file as it is stored, where `data` is what was unpacked from it; else empty."""

    def __repr__(self) -> str:
        return brief(self, "data", "packed")

    @property
    def tokens(self) -> int:
        return sum(transcript.tokens for transcript in self.transcripts)

    @property
    def stored(self) -> Content:
        """Return the bytes of the file as it is stored."""
        return self.packed or self.data

    @property
    def message_count(self) -> int:
        return sum(len(transcript.messages) for transcript in self.transcripts)
