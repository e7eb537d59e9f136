"""What a compaction took out of a file, and what it did to each conversation: the manifest of a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Loss = Literal["shortened", "summarized", "dropped", "repaired"]


@dataclass(frozen=True, slots=True)
class Removed:
    """An original that is not in the output as it was."""

    reference: str
    """`ctx_` and the first 8 hex digits of `digest`; more where two originals of a file would share them."""
    digest: str
    """SHA-256 of the original, 64 hex digits."""
    loss: Loss
    kind: Literal["text", "records"]
    """What the digest is of: one text within the records (in UTF-8), or the records' bytes one after another."""
    conversation: int
    messages: tuple[int, ...]
    """Indices of the messages of the conversation that it is (part of)."""
    records: tuple[int, ...]
    """Indices of the conversation's records that hold it."""
    role: str
    """Role of its messages; empty when they have several."""
    tokens: int
    """Tokens that its messages had."""
    reason: str
    marked: bool
    """Whether a mark in the output carries the reference."""


@dataclass(frozen=True, slots=True)
class Round:
    """What was done to one conversation: the events of seeds 000 and 001 in one."""

    conversation: int
    session: str
    """The format's session id; empty where it has none."""
    round: int
    strategy: str
    summarizer: str
    target: int | None
    tokens_before: int
    tokens_after: int
    messages_before: int
    messages_after: int
    summary: str
    """The summaries that were written, in order; empty when there are none."""
    compacted: tuple[str, ...]
    """Ids of the messages that are not in the output as they were."""

    @property
    def ratio(self) -> float:
        return self.tokens_after / self.tokens_before if self.tokens_before else 1.0


@dataclass(frozen=True, slots=True)
class FileState:
    """A file before or after a compaction."""

    path: str
    sha256: str
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that one compaction did to one file."""

    input: FileState
    output: FileState
    format: str
    counter: str
    rounds: tuple[Round, ...]
    """One for each conversation that was changed; none when the file came out as it went in."""
    removed: tuple[Removed, ...]

    @property
    def changed(self) -> bool:
        return self.input.sha256 != self.output.sha256
