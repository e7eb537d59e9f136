"""The outcome of compacting one file out of many."""

from __future__ import annotations

from msgspec import Struct

FAILURES = ".failures.jsonl"
"""Suffix that is added to the name of the output for the list of rows that failed."""
RULES = {
    "needs-compaction": "The transcript is larger than its target, or has not been compacted.",
    "cannot-fit": "The transcript cannot be made to fit its target.",
    "unreadable": "The transcript cannot be read.",
    "failed": "The transcript could not be checked.",
}
"""Rule -> description."""


class Sizes(Struct, frozen=True):
    """How large a transcript is."""

    messages: int = 0
    tokens: int = 0
    bytes: int = 0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.messages + other.messages, self.tokens + other.tokens, self.bytes + other.bytes)


NOTHING = Sizes()


class CheckFinding(Struct, frozen=True):
    """One finding about a file."""

    rule: str
    path: str
    """The path as the user gave it."""
    line: int
    message: str

    @property
    def is_error(self) -> bool:
        """Return whether the file is damaged or cannot fit, rather than just being in need of compaction."""
        return self.rule != "needs-compaction"


class Outcome(Struct, frozen=True):
    """The result of compacting one file, or why there is none."""

    path: str
    """The input path as the user gave it."""
    place: str = ""
    """Path of the actual or intended output."""
    before: Sizes = NOTHING
    after: Sizes = NOTHING
    changed: bool = False
    report: str = ""
    """The report as one line of JSON; empty when nobody asked for it."""
    findings: tuple[CheckFinding, ...] = ()
    error: str = ""
    """Why the file could not be compacted; empty on success."""
    code: int = 0
    """The exit code for the error or for failed rows."""
    input_sha256: str = ""
    """SHA-256 of the bytes that were read; empty when the run keeps no list of finished files."""
    output_sha256: str = ""
    rows: int = 0
    """Number of rows of a Parquet data set."""
    failed_rows: int = 0
    """Rows that could not be compacted and were left unchanged; `code` reflects them too."""
    earlier: bool = False
    """Whether an earlier run already compacted this file."""
