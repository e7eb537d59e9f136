"""What a run asked of a language model, and what was done without one."""

from __future__ import annotations

from msgspec import Struct


class Fallback(Struct, frozen=True):
    """Something that was done without the model, and why."""

    what: str
    why: str
    failed: bool = True
    """False where the model was not asked, such as for want of room."""


class Usage(Struct, frozen=True):
    """What a run asked for. Tokens and cost are the provider's own numbers where it gives them, else estimates."""

    model: str
    requests: int = 0
    """Requests that were sent; one that was sent again after a failure counts once."""
    failures: int = 0
    """How many of them brought no answer."""
    cache_hits: int = 0
    cache_misses: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    """US dollars for the answers that came; None for a model without a known price."""
