"""What a compaction took out of a file, and what the archive knows of compactions and their rounds."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Loss = Literal["shortened", "summarized", "dropped", "repaired"]
Count = Annotated[int, Meta(ge=0)]
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
"""A SHA-256 in 64 hex digits."""


class Removed(Struct, frozen=True, rename={"digest": "sha256"}):
    """An original that is not in the output as it was."""

    reference: str
    """`ctx_` and the first 8 hex digits of `digest`; more where two originals of a file would share them."""
    digest: Digest
    """Of the original."""
    loss: Loss
    kind: Literal["text", "records"]
    """What the digest is of: one text within the records (in UTF-8), or the records' bytes one after another."""
    conversation: Count
    messages: tuple[Count, ...]
    """Indices of the messages of the conversation that it is (part of)."""
    records: tuple[Count, ...]
    """Indices of the conversation's records that hold it."""
    role: str
    """Role of its messages; empty when they have several."""
    tokens: Count
    """Tokens that the part of a text had, or the messages of records."""
    reason: str
    marked: bool
    """Whether a mark in the output carries the reference."""


class Round(Struct, frozen=True, kw_only=True, rename={"target": "target_tokens"}):
    """What was done to one conversation: the events of seeds 000 and 001 in one."""

    conversation: Count
    session: str
    """The format's session id; empty where it has none."""
    round: Count
    strategy: str
    summarizer: str
    target: Count | None = None
    tokens_before: Count
    tokens_after: Count
    messages_before: Count
    messages_after: Count
    summary: str = ""
    """The summaries that were written, in order; empty when there are none, and in a manifest."""
    compacted: tuple[str, ...]
    """Ids of the messages that are not in the output as they were."""

    @property
    def ratio(self) -> float:
        return self.tokens_after / self.tokens_before if self.tokens_before else 1.0


class FileState(Struct, frozen=True, rename={"size": "bytes"}):
    """A file before or after a compaction."""

    path: str
    sha256: Digest
    size: Count
    """Bytes."""


class Manifest(Struct, frozen=True):
    """All that one compaction did to one file."""

    input: FileState
    output: FileState
    format: str
    """That of the messages: with it the input is read again as it was."""
    counter: str
    rounds: tuple[Round, ...]
    """One for each conversation that was changed; none when the file came out as it went in."""
    removed: tuple[Removed, ...]

    @property
    def changed(self) -> bool:
        return self.input.sha256 != self.output.sha256


Match = Literal["output", "input", "begins", "session", "marks"]
"""How a file belongs to a compaction: it is its output; it is its input, an original; it begins with its output
and has grown since; it has the same session id; it has marks of it. The last two do not say that nothing else is in
it."""


class FoundCompaction(Struct, frozen=True):
    """The compaction that a file belongs to."""

    id: int
    match: Match


class Archived(Struct, frozen=True):
    """A compaction that the archive knows."""

    id: int
    at: float
    """When it was made, seconds since 1970."""
    used: float
    """When it was last restored from, or made."""
    previous: int | None
    """The compaction whose output its input is or begins with."""
    written: bool
    """Whether its output is known to have been put in its place."""
    kept: bool
    """Whether its input is in the archive."""
    format: str
    input: FileState
    output: FileState

    @property
    def changed(self) -> bool:
        return self.input.sha256 != self.output.sha256


class PastRound(Struct, frozen=True):
    """A round of a session, as the archive knows it."""

    compaction: int
    at: float
    """Seconds since 1970."""
    session: str
    """Key of the session: `id:FORMAT:SESSION`, or `content:` and the SHA-256 of its first known state."""
    round: Round
    input_path: str
    output_path: str
    kept: bool
    """Whether the originals are in the archive."""
    written: bool
    """Whether the output is known to have been put in its place."""


class Evicted(Struct, frozen=True):
    """What was taken out of the archive."""

    compactions: int
    bytes: int
    """As they were stored."""
    over: bool = False
    """The archive is still larger than its limit: what is left is too new to go."""


class ArchiveSize(Struct, frozen=True):
    """How much the archive holds."""

    compactions: int
    kept: int
    """Compactions whose input can be restored."""
    pieces: int
    bytes: int
    """Of the pieces, as they were."""
    stored: int
    """Bytes that they take, compressed."""
