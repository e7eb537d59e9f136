"""A profile: how much each signal counts when the value of a name, or of what somebody says, is estimated."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

PROFILE_VERSION = 1


class Profile(Struct, frozen=True):
    """Weights of a logistic model: value of a term = 1 / (1 + exp(-(sum of weight times signal)))."""

    weights: Mapping[str, float]
    """Signal -> weight; signals without a weight count nothing."""
    name: str = ""
    """Where it came from, for reports."""
    sessions: int = 0
    """Sessions it was learned on."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Held-out figures, as they were measured when it was learned."""
    talk: Mapping[str, float] = field(default_factory=dict)
    """The same for what people say to each other, by the signals of `features/talk.py`: what is asked for later."""
    binding: Mapping[str, float] = field(default_factory=dict)
    """And for the sentences of a user: which of them bind the rest of a session."""
    needed: Mapping[str, float] = field(default_factory=dict)
    """And for the statements of a chat of a user and an agent: which of them are needed to go on with it."""
