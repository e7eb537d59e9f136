"""When to compact, and what: the arithmetic of seed 001, and the provider's token counts, if the records of a session
contain them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from compactor_cli.formats.base import Format
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import ContextSettings
from compactor_cli.summary_text.headers import is_summary
from compactor_cli.text.shorten import is_shortened

_MIN_DIFFERENCE = 0.1


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


class RecordedContext(Struct, frozen=True):
    """The last context that a provider counted: what was sent to the model, and its answer."""

    tokens: int
    message: int
    own_tokens: int
    tokens_after: int

    @property
    def context(self) -> int:
        """Return the tokens of the current context: the provider's count plus our count of what followed."""
        return self.tokens + self.tokens_after

    @property
    def difference(self) -> float:
        """Return by what share our count is larger than the provider's (negative if smaller)."""
        return self.own_tokens / self.tokens - 1

    @property
    def differs(self) -> bool:
        return abs(self.difference) > _MIN_DIFFERENCE


def recorded_context(transcript: Transcript, format: Format) -> RecordedContext | None:
    """Return the last recorded context; None if there is none, or if the session was compacted since."""
    if any(is_summary(message.text("text")) for message in transcript.messages):
        return None
    counted = transcript.counted or _newest_count(transcript, format)
    if counted is None or any(is_shortened(part.text) for message in transcript.messages for part in message.parts):
        return None
    index, tokens = counted
    if any(later.pinned and later.origin == "summary" for later in transcript.messages[index + 1 :]):
        return None
    our_count = sum(message.tokens for message in transcript.messages[: index + 1])
    return RecordedContext(tokens, index, our_count, transcript.tokens - our_count)


def _newest_count(transcript: Transcript, format: Format) -> tuple[int, int] | None:
    """Return the message of the newest record with a count, and the count."""
    message_by_record: dict[int, int] = {}
    for message in transcript.messages:
        # in a record with an answer and the results of its calls, the count belongs to the answer
        message_by_record |= {
            r: message.index for r in message.records if message.role != "tool" or r not in message_by_record
        }
    message_by_record |= {
        record: owner for record, owner in transcript.owners.items() if record not in message_by_record
    }
    for record in sorted(message_by_record, reverse=True):
        raw = transcript.raw(record)
        if not any(word in raw for word in format.usage_words):
            continue
        tokens = format.usage(json.loads(raw))
        if tokens:
            return message_by_record[record], tokens
    return None
