"""When to compact, and what: the arithmetic of seed 001."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.settings import ContextSettings
from compactor_cli.summary_text.headers import is_summary


class ContextState(Struct, frozen=True):
    """How full the context is. A computed threshold of 0 means that even the reserves do not fit."""

    limit: int
    threshold: int
    tokens: int
    percent_used: float
    warning: bool
    needs_compaction: bool
    never: bool = False
    """The threshold was set to 0: never compact."""


def threshold_of(limit: int, settings: ContextSettings) -> int:
    """Return the tokens at which to compact: what is set, or a share of what the reserves leave of the limit."""
    if settings.threshold is not None:
        return settings.threshold
    available = limit - settings.system_reserve - settings.output_reserve - settings.safety_buffer
    return max(0, int(available * Fraction(str(settings.threshold_percent))))


def context_state(tokens: int, messages: int, limit: int, keep_last: int, settings: ContextSettings) -> ContextState:
    """Return whether a session of this size needs compacting; a very short one never does.

    `limit` is the context limit of the model, for settings that name none.
    """
    limit = settings.limit or limit
    threshold, never = threshold_of(limit, settings), settings.threshold == 0
    used = 100 * tokens / limit if limit else 0.0
    over = not never and tokens >= threshold and messages > keep_last + 1
    near = not never and tokens >= threshold * settings.warning_percent
    return ContextState(limit, threshold, tokens, round(used, 1), near, over, never)


def relief_target(state: ContextState, settings: ContextSettings) -> int:
    """Return the tokens to come down to from over the threshold: below the warning, and half of a limit that the
    reserves alone fill."""
    if not state.threshold:
        return max(1, state.limit // 2)
    return max(1, int(state.threshold * Fraction(str(settings.warning_percent))) - 1)


class Selection(Struct, frozen=True):
    """Seed 001's split: indices to compact, indices to keep, and the summary of an earlier round."""

    compact: tuple[int, ...]
    keep: tuple[int, ...]
    previous_summary: int | None


def select_messages(messages: Sequence[Message], keep_last: int = 10) -> Selection:
    """Keep the system message and the last `keep_last` messages; the rest is to be compacted.

    The border moves back while it would part a tool result from its call. A summary from an earlier
    round, right behind the system message, is passed on instead of being compacted.
    """
    everything = tuple(range(len(messages)))
    if len(messages) <= keep_last + 1:
        return Selection((), everything, None)
    previous = 1 if is_summary(messages[1].text("text")) else None
    border = len(messages) - keep_last
    while border > 1 and messages[border].results:
        border -= 1
    start = 2 if previous is not None else 1
    if border <= start:
        return Selection((), everything, previous)
    return Selection(everything[start:border], (0, *everything[border:]), previous)
