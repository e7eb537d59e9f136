"""What the judge says of one category."""

from __future__ import annotations

from msgspec import Struct

CATEGORIES = (
    "user_requests",
    "rules",
    "instructions",
    "corrections",
    "constraints",
    "decisions",
    "effects",
    "open_items",
    "errors",
    "files",
    "identifiers",
)
"""In the order in which they are shown: what matters most to whoever carries on comes first."""


class Survival(Struct, frozen=True):
    """How much of a category is still there."""

    category: str
    kept: int
    total: int
    lost: tuple[tuple[int, str], ...]
    """(message, text) of what is gone; -1 for what stands in no message of its own."""

    @property
    def percent(self) -> float:
        """Return the share of what is kept, with one digit; 100 only when nothing is lost, 0 only when nothing is
        kept."""
        if self.kept == self.total:
            return 100.0
        return min(99.9, max(0.1 if self.kept else 0.0, round(100 * self.kept / self.total, 1)))
