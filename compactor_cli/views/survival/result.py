"""The judge's verdict on one category."""

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


class Survival(Struct, frozen=True):
    """How much of a category is still present."""

    category: str
    kept: int
    total: int
    lost: tuple[tuple[int, str], ...]
    """(message, text) of what is missing; -1 if the text belongs to no particular message."""

    @property
    def percent(self) -> float:
        """Return the percentage kept, with one decimal; 100 or 0 only if nothing is lost, or kept."""
        if self.kept == self.total:
            return 100.0
        return min(99.9, max(0.1 if self.kept else 0.0, round(100 * self.kept / self.total, 1)))
