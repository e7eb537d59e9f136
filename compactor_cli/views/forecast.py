"""Forecast what `compact --if-needed` would do with a conversation, and why."""

from __future__ import annotations

import math
from fractions import Fraction

from msgspec import Struct

from compactor_cli.formats.base import Format
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.recorded_context import RecordedContext, recorded_context
from compactor_cli.pipeline.threshold import ContextState, Selection, context_state, select_messages
from compactor_cli.settings import ContextSettings, Settings


class Outlook(Struct, frozen=True):
    """How full the context is, and what would be compacted."""

    transcript: Transcript
    recorded: RecordedContext | None
    """The provider's count, which then determines how full the context is; None if there is none."""
    state: ContextState
    selection: Selection
    strategy: str
    warning_from: int
    threshold_from: str
    reason: str

    @property
    def overhead(self) -> int:
        """Return the tokens of the context that are not in the file: the agent's system prompt and tools."""
        return max(0, self.recorded.context - self.transcript.tokens) if self.recorded else 0

    @property
    def compacts(self) -> bool:
        return self.state.needs_compaction

    @property
    def percent_of_threshold(self) -> float | None:
        return round(100 * self.state.tokens / self.state.threshold, 1) if self.state.threshold else None


def forecast_context(
    transcript: Transcript, format: Format, limit: int, settings: Settings, set_by: str = "the settings"
) -> Outlook:
    """Return the forecast for a transcript. `limit`: the model's context limit, used if the settings have none.
    `set_by`: who set a fixed threshold."""
    context = settings.context
    count, recent = len(transcript.messages), settings.recent_messages
    recorded_use = recorded_context(transcript, format)
    tokens = recorded_use.context if recorded_use else transcript.tokens
    state = context_state(tokens, count, limit, recent, context)
    selection = select_messages(transcript.messages, recent)
    return Outlook(
        transcript,
        recorded_use,
        state,
        selection,
        settings.strategy_name,
        warning_from=math.ceil(state.threshold * Fraction(str(context.warning_percent))),
        threshold_from=_threshold_words(state.limit, context) if context.threshold is None else f"set by {set_by}",
        reason=_reason(state, count, recent),
    )


def _reason(state: ContextState, messages: int, recent: int) -> str:
    if state.never:
        return "the threshold is 0, which means never"
    if messages <= recent + 1:
        return f"{messages:,} messages are too few to compact"
    relation = "at or over" if state.needs_compaction else "under"
    return f"{state.tokens:,} tokens are {relation} the threshold of {state.threshold:,}"


def _threshold_words(limit: int, settings: ContextSettings) -> str:
    """Return the arithmetic behind a computed threshold, in words."""
    reserved = settings.system_reserve + settings.output_reserve + settings.safety_buffer
    if reserved >= limit:
        return f"reserves of {reserved:,} leave nothing of {limit:,}"
    return f"{100 * settings.threshold_percent:g}% of what reserves of {reserved:,} leave of {limit:,}"
