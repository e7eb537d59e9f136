"""What agents need to continue with a compacted session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from compactor_cli.converting.base import UNKNOWN_TIME, iso, uuid_of
from compactor_cli.formats import jsonedit
from compactor_cli.formats.values import inner, word
from compactor_cli.model.message import Message, Path
from compactor_cli.model.transcript import Transcript

NOTICE = "Earlier parts of this conversation were left out or summarized. What was kept follows, in order of time."
"""The summary for agents that require one, used when the output does not begin with a summary."""


class Compacted(Struct, frozen=True):
    """A session as it was, and what the agent will send of it from now on."""

    before: Transcript
    after: Transcript
    """The output of a compaction, read back."""
    key: str
    """64 hex digits that depend only on the output; ids are derived from them."""

    @property
    def records(self) -> list[tuple[Message, Any]]:
        """Return the records that hold what is sent, in order, each with the first message that it holds."""
        seen: set[int] = set()
        pairs: list[tuple[Message, Any]] = []
        for message in self.after.messages:
            for record in message.records:
                if record not in seen:
                    seen.add(record)
                    pairs.append((message, json.loads(self.after.raw(record))))
        return pairs

    @property
    def leaf(self) -> str:
        """Return the id of the last record of the session's main chain; empty if it has none."""
        return next((link.id for link in reversed(self.before.links) if link and not link.chain), "")

    def lead(self) -> tuple[str, list[tuple[Message, Any]]]:
        """Return a summary to begin with (the output's first message, else a notice), and the records after it."""
        records = self.records
        first = self.after.messages[0] if self.after.messages else None
        if first is None or first.origin != "summary":
            return NOTICE, records
        return first.parts[-1].text, [(message, value) for message, value in records if message.index != first.index]

    def last_time(self) -> float:
        """Return when the newest record was written, in seconds since 1970."""
        times = (message.timestamp for message in self.before.messages)
        return max((time for time in times if time is not None), default=UNKNOWN_TIME)

    def stamps(self) -> Iterator[str]:
        """Yield timestamps after the newest record, a millisecond apart, since agents start from the newest record."""
        last, number = self.last_time(), 0
        while True:
            number += 1
            yield iso(last + number / 1000)

    def id(self, *words: str | int) -> str:
        """Return a UUID derived from these words."""
        return uuid_of(self.key, *words)


class Agentic:
    """How the sessions of one format are continued. `append` and `rename` are pure functions."""

    format: str
    appends: str
    """What the agent itself would append, as text for lists and docs; empty if nothing can be appended."""
    lines = True
    """Whether it appends only to files with one record per line, not to documents."""
    project_path: tuple[str, ...] = ("cwd",)
    """Where a value of the file states the project folder, or its equivalent."""

    def project(self, value: Any) -> str:
        """Return the project folder, or its equivalent, stated in a value of the file; empty if there is none."""
        return word(inner(value, *self.project_path[:-1]), self.project_path[-1])

    def append(self, compacted: Compacted) -> Sequence[Any]:
        """Return the JSON values to append so that the agent sends the output. Raises UsageError."""
        raise NotImplementedError

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        """Return path -> JSON text for what turns session `old` into session `new` in a value of the file."""
        has_session_id = isinstance(value, dict) and isinstance(value.get("sessionId"), str)
        return {("sessionId",): jsonedit.encode(new)} if has_session_id else {}


def last_value(transcript: Transcript) -> dict[str, Any]:
    """Return the newest record of a session that holds a message, as a template for the envelope."""
    record = next((m.records[-1] for m in reversed(transcript.messages) if m.records), None)
    value = json.loads(transcript.raw(record)) if record is not None else {}
    return inner(value)
