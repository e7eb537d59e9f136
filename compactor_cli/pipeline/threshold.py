"""When to compact, and what: the arithmetic of seed 001."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from compactor_cli.model.message import Message
from compactor_cli.settings import ContextSettings
from compactor_cli.summary_text.headers import is_summary


class ContextState(Struct, frozen=True):
    """How full the context is. A computed threshold of 0 means that the reserves alone exceed the limit."""

    limit: int
    threshold: int
    tokens: int
    percent_used: float
    warning: bool
    needs_compaction: bool
    never: bool = False


def compaction_threshold(limit: int, settings: ContextSettings) -> int:
    """Return the number of tokens at which to compact."""
    if settings.threshold is not None:
        return settings.threshold
    available = limit - settings.system_reserve - settings.output_reserve - settings.safety_buffer
    return max(0, int(available * Fraction(str(settings.threshold_percent))))


def context_state(tokens: int, messages: int, limit: int, keep_last: int, settings: ContextSettings) -> ContextState:
    """Return whether a session of this size needs compaction; a very short one never does. `limit`: the model's context
    limit, used if the settings name none."""
    limit = settings.limit or limit
    threshold, never = compaction_threshold(limit, settings), settings.threshold == 0
    percent_used = 100 * tokens / limit if limit else 0.0
    is_over = not never and tokens >= threshold and messages > keep_last + 1
    is_near = not never and tokens >= threshold * settings.warning_percent
    return ContextState(limit, threshold, tokens, round(percent_used, 1), is_near, is_over, never)


def relief_target(state: ContextState, settings: ContextSettings) -> int:
    """Return the tokens to which a session over the threshold should be compacted."""
    if not state.threshold:
        return max(1, state.limit // 2)
    return max(1, int(state.threshold * Fraction(str(settings.warning_percent))) - 1)


class Selection(Struct, frozen=True):
    """Seed 001's split: indices to compact, indices to keep, and the index of an earlier round's summary."""

    compact: tuple[int, ...]
    keep: tuple[int, ...]
    previous_summary: int | None


def select_messages(messages: Sequence[Message], keep_last: int = 10) -> Selection:
    """Return the split that keeps the system message and the last `keep_last` messages, and compacts the rest. The
    border moves back as long as it would separate a tool result from its call. An earlier round's summary directly
    after the system message is passed on instead of being compacted."""
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
