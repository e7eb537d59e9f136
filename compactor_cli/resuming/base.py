"""What an agent needs to go on with a compacted session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from compactor_cli.converting.stable import UNKNOWN_TIME, iso, uuid_of
from compactor_cli.model.message import Message, Path
from compactor_cli.model.transcript import Transcript

NOTICE = "Earlier parts of this conversation were left out or summarized. What was kept follows, in order of time."
"""The summary of agents that must have one, where the output does not begin with a summary."""


class Compacted(Struct, frozen=True):
    """A session as it was, and what is to be sent of it from now on."""

    before: Transcript
    after: Transcript
    """The output of a compaction, read again."""
    key: str
    """64 hex digits that are the same for the same output: a source of ids."""

    @property
    def records(self) -> list[tuple[Message, Any]]:
        """Return the records that hold what is sent, in its order, each with the first message that it holds."""
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
        """Return the id of the last record of the session's main chain; empty where it has none."""
        return next((link.id for link in reversed(self.before.links) if link and not link.chain), "")

    def lead(self) -> tuple[str, list[tuple[Message, Any]]]:
        """Return a summary to begin with, and the records that stand behind it: the output's own where its first
        message is one, else a notice."""
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
        """Yield times behind the newest record, a millisecond apart: agents begin at the record with the newest
        time."""
        last, number = self.last_time(), 0
        while True:
            number += 1
            yield iso(last + number / 1000)

    def id(self, *words: str | int) -> str:
        """Return a UUID of some words."""
        return uuid_of(self.key, *words)


class Agentic(Protocol):
    """How the sessions of one format are carried on. `append` and `rename` are pure."""

    format: str
    appends: str
    """What the agent itself would append, for lists and docs; empty where nothing can be."""
    lines: bool
    """It appends to files of a record a line only, not to documents."""

    def project(self, value: Any) -> str:
        """Return the folder that is worked in, or what the format has in its place, where a value of the file says
        it."""

    def append(self, compacted: Compacted) -> Sequence[Any]:
        """Return the JSON values that make what is sent the output of the compaction. Raises UsageError for a session
        to which nothing can be appended."""

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        """Return JSON texts to put at paths of a value of the file, so that the session `old` becomes the session
        `new`."""


def last_value(transcript: Transcript) -> dict[str, Any]:
    """Return the newest record of a session that holds a message: an envelope to imitate."""
    record = next((m.records[-1] for m in reversed(transcript.messages) if m.records), None)
    value = json.loads(transcript.raw(record)) if record is not None else {}
    return value if isinstance(value, dict) else {}


def member(value: Any, *path: str) -> str:
    """Return a string at a path of objects; empty where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
