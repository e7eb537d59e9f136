"""Lines of a result that say nothing of the work: noise of tools, and what a harness puts around the user's words."""

from __future__ import annotations

from compactor_cli.model.replies import reply_span
from compactor_cli.text.noise import noisy_lines


def noise_in(text: str, *, replied: bool) -> frozenset[int]:
    """Return the numbers of the physical lines of a result, from 0, that say nothing of the work. `replied`: the result
    may hold words of the user, beside which all others are the harness's."""
    noise = noisy_lines(text)
    words = reply_span(text) if replied else None
    if words is None:
        return noise
    first, last = (text.count("\n", 0, at) for at in words)
    return noise.union(range(first), range(last + 1, text.count("\n") + 1))
