"""Lines that say nothing of the work: noise of tools, and what a harness puts around the user's words."""

from __future__ import annotations

from compactor_cli.features.work.endings import is_declined
from compactor_cli.model.replies import reply_span
from compactor_cli.text.noise import noisy_lines, prompt_at_end


def noise_in(text: str, *, speech: bool, replied: bool) -> frozenset[int]:
    """Return the numbers of the physical lines of a text, from 0, that say nothing of the work: of `speech` the prompt
    at its end. `replied`: a result that may hold words of the user: of a call that they refused all others are the
    harness's."""
    if speech:
        return prompt_at_end(text)
    noise = noisy_lines(text)
    words = reply_span(text) if replied and is_declined(text) else None
    if words is None:
        return noise
    first, last = (text.count("\n", 0, at) for at in words)
    return noise.union(range(first), range(last + 1, text.count("\n") + 1))
