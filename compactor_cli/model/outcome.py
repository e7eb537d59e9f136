"""What became of one file of many."""

from __future__ import annotations

from msgspec import Struct

FAILURES = ".failures.jsonl"
"""What the list of rows that failed is called, behind the name of the output."""
RULES = {
    "needs-compaction": "The transcript is larger than its target, or has not been compacted.",
    "cannot-fit": "The transcript cannot be made to fit into its target.",
    "unreadable": "The transcript cannot be read.",
    "failed": "The transcript could not be checked.",
}
"""Rule -> its meaning."""


class Sizes(Struct, frozen=True):
    """How large a transcript is."""

    messages: int = 0
    tokens: int = 0
    bytes: int = 0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.messages + other.messages, self.tokens + other.tokens, self.bytes + other.bytes)


NOTHING = Sizes()


class CheckFinding(Struct, frozen=True):
    """One finding in a file."""

    rule: str
    path: str
    """As it was named."""
    line: int
    message: str

    @property
    def is_error(self) -> bool:
        """Return whether the file is damaged or cannot fit; else it only has to be compacted."""
        return self.rule != "needs-compaction"


class Outcome(Struct, frozen=True):
    """The result of compacting one file, or why there is none."""

    path: str
    """The input as it was named."""
    place: str = ""
    """Where the output is, or would be."""
    before: Sizes = NOTHING
    after: Sizes = NOTHING
    changed: bool = False
    report: str = ""
    """The report as a line of JSON; empty when nobody asked for one."""
    findings: tuple[CheckFinding, ...] = ()
    error: str = ""
    """Why it could not be compacted; empty when it was."""
    code: int = 0
    """The exit code that belongs to the error, or to rows that failed."""
    input_sha256: str = ""
    """Of the bytes that were read; empty when no list of what is done is kept."""
    output_sha256: str = ""
    rows: int = 0
    """Of a data set in Parquet: its rows."""
    failed_rows: int = 0
    """Rows that could not be compacted and stay as they were; `code` says so, too."""
    earlier: bool = False
    """An earlier run did it."""
