"""What can be wrong with a session, and what would fix it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from compactor_cli.model.message import Path
from compactor_cli.model.transcript import Transcript


class Finding(Struct, frozen=True):
    """A fault that keeps a session from being resumed or sent, or that hides a part of it."""

    kind: str
    line: int
    """Line of the record in the file, from 1; 0 if it concerns no record."""
    detail: str
    remedy: str = ""
    """What --fix does about it; empty if nothing can be done."""
    message: int | None = None
    """Index of the message, for faults in the order of calls and results."""
    drop: int | None = None
    """The record that --fix leaves out."""
    edits: Mapping[tuple[int, Path], str] = field(default_factory=dict)
    """(record, path in it) -> the JSON text that --fix puts there."""


MAX_IMAGE_BYTES = 5 * 1024 * 1024
"""Decoded size in bytes above which Anthropic's API rejects a picture."""


class Limits(Struct, frozen=True):
    """Limits above which something counts as too large."""

    image_bytes: int = MAX_IMAGE_BYTES
    """Decoded size of a picture in bytes."""


class DoctorView(Struct, frozen=True):
    """What a check examines."""

    transcript: Transcript
    values: Sequence[Any]
    """The JSON value of each record."""
    limits: Limits
    parent_path: Path | None
    """Where a record names its parent, in formats with such links."""

    def line(self, record: int) -> int:
        return self.transcript.records[record].line


Check = Callable[[DoctorView], Iterator[Finding]]
"""Looks for one kind of fault."""
