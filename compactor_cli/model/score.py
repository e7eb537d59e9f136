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
    """Importance of one message: `raw` is the sum of the factors, `value` is clamped to 0-100."""

    value: float
    raw: float
    factors: tuple[Factor, ...] = ()
    category: str = ""
    """Category of memory that the message would make (seed 003); empty for scorers that assign none."""
    confidence: float | None = None
    """How sure the scorer is, from 0 to 1."""
    persist: bool | None = None
    """Whether the message is worth remembering beyond the session."""
    statement: str = ""
    """What is worth remembering, in the scorer's words; empty for scorers that do not say."""


class Residuals(Struct, frozen=True):
    """Messages that bypass compression, and those that would if there were no caps."""

    kept: frozenset[int]
    demoted: frozenset[int]
    limit: int
    """Maximum number of residual messages."""


class Rating(Struct, frozen=True):
    """The scores of messages, and what follows from them."""

    scores: tuple[Score, ...] = ()
    residuals: Residuals = Residuals(frozenset(), frozenset(), 0)
    tiers: tuple[int | None, ...] = ()
    """Tier of each message; None for residuals and system messages."""


Rate = Callable[[], Rating]
"""Rates messages on the first call and returns the same rating afterwards, since not every strategy or report needs
one."""


class Rated(Struct, frozen=True):
    """Base of values that hold messages together with their rating."""

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
        """Return the tiers of a group's messages, leaving out residuals and system messages."""
        tiers = self.tiers
        return [tier for i in group.messages if (tier := tiers[i]) is not None]
