"""What can be wrong with a session, and what would mend it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from compactor_cli.model.message import Path
from compactor_cli.model.transcript import Transcript


class Finding(Struct, frozen=True):
    """One thing that keeps a session from being resumed or sent, or that hides a part of it."""

    kind: str
    line: int
    """Line of the record in the file, from 1; 0 where it is about no record."""
    detail: str
    remedy: str = ""
    """What --fix does about it; empty where nothing can be done."""
    message: int | None = None
    """Index of the message, of faults in the order of calls and results."""
    drop: int | None = None
    """The record that --fix leaves out."""
    edits: Mapping[tuple[int, Path], str] = field(default_factory=dict)
    """Record and path in it -> the JSON text that --fix puts there."""


IMAGE_BYTES = 5 * 1024 * 1024
"""Bytes of a picture, decoded, above which the API of Anthropic refuses it."""


class Limits(Struct, frozen=True):
    """What counts as too much."""

    image_bytes: int = IMAGE_BYTES
    """Bytes of a picture, decoded."""


class DoctorView(Struct, frozen=True):
    """What a check looks at."""

    transcript: Transcript
    values: Sequence[Any]
    """The JSON value of each record."""
    limits: Limits
    parent_path: Path | None
    """Where a record names its parent, in formats with such links."""

    def line(self, record: int) -> int:
        return self.transcript.records[record].line


class Check(Protocol):
    """One kind of thing that is looked for."""

    def find(self, view: DoctorView) -> Iterator[Finding]: ...
