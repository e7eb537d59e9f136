"""The provider's token counts, if the records of a session contain them."""

from __future__ import annotations

import json

from msgspec import Struct

from compactor_cli.formats.base import Format
from compactor_cli.model.transcript import Transcript
from compactor_cli.summary_text.headers import is_summary
from compactor_cli.text.shorten import is_shortened

_MIN_DIFFERENCE = 0.1


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
