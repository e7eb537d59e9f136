"""What a compaction removed from a file, and what the archive records about compactions and their rounds."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Loss = Literal["shortened", "summarized", "dropped", "repaired"]
Count = Annotated[int, Meta(ge=0)]
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
"""A SHA-256 in 64 hex digits."""


class Removed(Struct, frozen=True, rename={"digest": "sha256"}):
    """An original text, or run of records, that the output does not contain unchanged."""

    reference: str
    """`ctx_` and the first 8 hex digits of `digest`, or more digits where two originals of a file share the first 8."""
    digest: Digest
    """SHA-256 of the original."""
    loss: Loss
    kind: Literal["text", "records"]
    """What `digest` covers: one text within the records (as UTF-8), or the concatenated bytes of the records."""
    conversation: Count
    messages: tuple[Count, ...]
    """Indices of the messages that contain the original or belong to it."""
    records: tuple[Count, ...]
    """Indices of the records that hold the original."""
    role: str
    """Role of those messages; empty when they have different roles."""
    tokens: Count
    """Token count of the text, or of all messages in the records."""
    reason: str
    marked: bool
    """Whether a mark in the output shows the reference."""


class Round(Struct, frozen=True, kw_only=True, rename={"target": "target_tokens"}):
    """How one conversation was compacted in one round. Combines the events of seeds 000 and 001."""

    conversation: Count
    session: str
    """The session id in the transcript's format; empty if the format has none."""
    round: Count
    strategy: str
    summarizer: str
    target: Count | None = None
    tokens_before: Count
    tokens_after: Count
    messages_before: Count
    messages_after: Count
    summary: str = ""
    """The summaries written in this round, in order; empty when none were written, and always empty in a manifest."""
    compacted: tuple[str, ...]
    """Ids of the messages that the output does not contain unchanged."""

    @property
    def ratio(self) -> float:
        return self.tokens_after / self.tokens_before if self.tokens_before else 1.0


class FileState(Struct, frozen=True, rename={"size": "bytes"}):
    """A file before or after a compaction."""

    path: str
    sha256: Digest
    size: Count
    """Size in bytes."""


class Manifest(Struct, frozen=True):
    """Everything that one compaction did to one file."""

    input: FileState
    output: FileState
    format: str
    """Format of the transcript. The input can be read again in this format."""
    counter: str
    rounds: tuple[Round, ...]
    """One round for each conversation that changed; empty when the file was left unchanged."""
    removed: tuple[Removed, ...]

    @property
    def changed(self) -> bool:
        return self.input.sha256 != self.output.sha256


Match = Literal["output", "input", "begins", "session", "marks"]
"""How a file matches a compaction. `output`: it is the output. `input`: it is the original. `begins`: it begins with
the output and has grown since. `session`: it has the same session id. `marks`: it contains marks of the compaction.
With the last two, the file may also contain other content."""


class FoundCompaction(Struct, frozen=True):
    """The compaction that a file matches, and how it matches."""

    id: int
    match: Match


class Archived(Struct, frozen=True):
    """A compaction recorded in the archive."""

    id: int
    at: float
    """When the compaction was made, in seconds since 1970."""
    used: float
    """When the compaction was made or last restored from, whichever is later, in seconds since 1970."""
    previous: int | None
    """Id of the compaction whose output this input equals or begins with."""
    written: bool
    """Whether the output is known to have been written to its destination."""
    kept: bool
    """Whether the archive holds the input."""
    format: str
    input: FileState
    output: FileState

    @property
    def changed(self) -> bool:
        return self.input.sha256 != self.output.sha256


class PastRound(Struct, frozen=True):
    """A round of a session, as recorded in the archive."""

    compaction: int
    at: float
    """When the compaction was made, in seconds since 1970."""
    session: str
    """Session key: `id:FORMAT:SESSION`, or `content:` followed by the SHA-256 of the first known state of the
    session."""
    round: Round
    input_path: str
    output_path: str
    kept: bool
    """Whether the archive holds the originals."""
    written: bool
    """Whether the output is known to have been written to its destination."""


class Evicted(Struct, frozen=True):
    """What was deleted from the archive to make space."""

    compactions: int
    bytes: int
    """Stored (compressed) size of what was deleted."""
    over: bool = False
    """Whether the archive still exceeds its limit because everything left is too recent to delete."""


class ArchiveSize(Struct, frozen=True):
    """How much data the archive holds."""

    compactions: int
    kept: int
    """Number of compactions whose input can be restored."""
    pieces: int
    bytes: int
    """Uncompressed size of the pieces."""
    stored: int
    """Compressed size of the pieces, as stored."""
