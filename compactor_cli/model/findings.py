"""What `compact --check` finds, for the places where CI shows it."""

from __future__ import annotations

from msgspec import Struct

RULES = {
    "needs-compaction": "The transcript is larger than its target, or has not been compacted.",
    "cannot-fit": "The transcript cannot be made to fit into its target.",
    "unreadable": "The transcript cannot be read.",
    "failed": "The transcript could not be checked.",
}
"""Rule -> its meaning."""


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
