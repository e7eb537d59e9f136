"""Which messages bypass compression (seed 000), with both caps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from compactor_cli.model.message import Message
from compactor_cli.model.score import Residuals, Score


def select_residuals(
    messages: Sequence[Message],
    scores: Sequence[Score],
    *,
    threshold: float,
    max_share: float,
    total_tokens: int | None = None,
) -> Residuals:
    """Choose the messages at or above the threshold, at most `ceil(max_share * n)` of them and, with a token budget, at
    most that share of it. The lowest scores are demoted first; of equal ones the older."""
    limit = ceil(Fraction(str(max_share)) * len(messages))
    candidates = [m.index for m in messages if m.role != "system" and scores[m.index].value >= threshold]
    best_first = sorted(candidates, key=lambda i: (-scores[i].raw, -i))
    chosen = best_first[:limit]
    if total_tokens is not None:
        room = int(Fraction(str(max_share)) * total_tokens)
        used = sum(messages[i].tokens for i in chosen)
        while used > room:
            used -= messages[chosen.pop()].tokens
    kept = frozenset(chosen)
    return Residuals(kept, frozenset(candidates) - kept, limit)
