"""Scores: how important a message is, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.model.group import Group


class Factor(NamedTuple):
    """One reason for points."""

    name: str
    points: float


class Score(Struct, frozen=True):
    """Importance of one message: `raw` sums the factors, `value` is clamped to 0-100."""

    value: float
    raw: float
    factors: tuple[Factor, ...] = ()
    category: str = ""
    """What kind of memory it is (seed 003); empty for scorers that do not say."""
    confidence: float | None = None
    """How sure the scorer is, 0 to 1."""
    persist: bool | None = None
    """Whether it is worth remembering beyond the session."""
    statement: str = ""
    """What of the message is worth remembering, in the scorer's words; empty for scorers that do not say."""


class Residuals(Struct, frozen=True):
    """Messages that bypass compression, and those that would have but for the caps."""

    kept: frozenset[int]
    demoted: frozenset[int]
    limit: int
    """The most messages that may be residuals."""


class Rating(Struct, frozen=True):
    """The scores of messages, and what follows from them."""

    scores: tuple[Score, ...] = ()
    residuals: Residuals = Residuals(frozenset(), frozenset(), 0)
    tiers: tuple[int | None, ...] = ()
    """Tier of each message; None for residuals and system messages."""


Rate = Callable[[], Rating]
"""Rates messages at its first call, and then returns the same: not every strategy asks for it, nor every report."""


class Rated(Struct, frozen=True):
    """What has messages with their rating."""

    rate: Rate

    @property
    def scores(self) -> tuple[Score, ...]:
        return self.rate().scores

    @property
    def residuals(self) -> Residuals:
        return self.rate().residuals

    @property
    def tiers(self) -> tuple[int | None, ...]:
        """Return the tier of each message; None for residuals and system messages."""
        return self.rate().tiers

    def tiers_of(self, group: Group) -> list[int]:
        """Return the tiers of a group's messages; none for residuals and system messages."""
        tiers = self.tiers
        return [tier for i in group.messages if (tier := tiers[i]) is not None]
