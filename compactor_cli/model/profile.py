"""Profiles: how much each signal counts when estimating the value of a name or of what somebody said."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

PROFILE_VERSION = 1


class Profile(Struct, frozen=True):
    """Weights of a logistic model: value of a term = 1 / (1 + exp(-(sum of weight times signal)))."""

    weights: Mapping[str, float]
    """Signal -> weight; signals without a weight count as 0."""
    name: str = ""
    """Where the profile came from, for reports."""
    sessions: int = 0
    """Number of sessions that it was learned from."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Held-out results, measured when the profile was learned."""
    talk: Mapping[str, float] = field(default_factory=dict)
    """Weights for what people say to each other, by the signals of `features/talk.py`: what will be asked for later."""
    binding: Mapping[str, float] = field(default_factory=dict)
    """Weights for the user's sentences: which of them bind the rest of a session."""
    needed: Mapping[str, float] = field(default_factory=dict)
    """Weights for statements in a chat between user and agent: which of them are needed to continue it."""
