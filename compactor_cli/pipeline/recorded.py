"""The provider's token counts, if the records of a session contain them."""

from __future__ import annotations

import json

from msgspec import Struct

from compactor_cli.formats.base import Format
from compactor_cli.model.transcript import Transcript
from compactor_cli.summary_text.headers import is_summary
from compactor_cli.text.shorten import is_shortened

_NOTABLE = 0.1
"""Relative difference between two counts that is not worth mentioning."""


class Recorded(Struct, frozen=True):
    """The last context that a provider counted: what was sent to the model, and its answer."""

    tokens: int
    message: int
    """Index of the last message in that context."""
    own: int
    """Our count of the messages up to that one."""
    after: int
    """Our count of the messages after it."""

    @property
    def context(self) -> int:
        """Return the tokens of the current context: the provider's count plus our count of what followed."""
        return self.tokens + self.after

    @property
    def difference(self) -> float:
        """Return by what share our count is larger than the provider's (negative if smaller)."""
        return self.own / self.tokens - 1

    @property
    def differs(self) -> bool:
        return abs(self.difference) > _NOTABLE


def recorded(transcript: Transcript, format: Format) -> Recorded | None:
    """Return the last recorded context. None if there is none, or if the session was compacted since, so that the
    counted messages are gone. The agent may have compacted it (its summary follows), or this program."""
    if any(is_summary(message.text("text")) for message in transcript.messages):
        return None
    counted = transcript.counted or _in_records(transcript, format)
    if counted is None or any(is_shortened(part.text) for message in transcript.messages for part in message.parts):
        return None
    index, tokens = counted
    if any(later.pinned and later.origin == "summary" for later in transcript.messages[index + 1 :]):
        return None
    our_count = sum(message.tokens for message in transcript.messages[: index + 1])
    return Recorded(tokens, index, our_count, transcript.tokens - our_count)


def _in_records(transcript: Transcript, format: Format) -> tuple[int, int] | None:
    """Return the message of the newest record with a count, and the count."""
    of_record: dict[int, int] = {}
    for message in transcript.messages:
        # in a record with an answer and the results of its calls, the count belongs to the answer
        of_record |= {r: message.index for r in message.records if message.role != "tool" or r not in of_record}
    of_record |= {record: owner for record, owner in transcript.owners.items() if record not in of_record}
    for record in sorted(of_record, reverse=True):
        raw = transcript.raw(record)
        if not any(word in raw for word in format.usage_words):
            continue
        tokens = format.usage(json.loads(raw))
        if tokens:
            return of_record[record], tokens
    return None
