"""Write a compacted session for its agent, either appended to the original or under a new id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from compactor_cli.converting.base import digest, uuid_of
from compactor_cli.errors import UsageError
from compactor_cli.formats import jsonedit
from compactor_cli.model.content import Content, read_all, sha256
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.assemble import lay_out
from compactor_cli.resuming import AGENTIC
from compactor_cli.resuming.base import Agentic, Compacted


def agentic(format: str) -> Agentic:
    """Return how sessions of a format are continued. Raises UsageError for unsupported formats."""
    if format not in AGENTIC:
        raise UsageError(f"no agent can resume a file of format {format}; use one of {', '.join(AGENTIC)}")
    return AGENTIC[format]


def append_compaction(before: Source, after: Source) -> bytes:
    """Return the original with what its agent appends so that it sends `after`. Raises UsageError."""
    resumer = agentic(before.format)
    if len(before.transcripts) != 1:
        raise UsageError(
            "a file of several sessions, to which nothing can be appended; write one file for each session"
        )
    (old,), (new,) = before.transcripts, after.transcripts
    newline = old.layout.separator
    on_lines = b"," not in newline
    if resumer.lines and not on_lines:
        raise UsageError(
            f"a session in a single document: {before.format} can only append to files with one record per line"
        )
    new_records = [
        jsonedit.dump(value).encode()
        for value in resumer.append(Compacted(old, new, sha256(read_all(before.data) + read_all(after.data))))
    ]
    if on_lines:
        # the existing bytes stay unchanged
        end = b"" if before.data.endswith(b"\n") else newline
        return read_all(before.data) + end + b"".join(value + newline for value in new_records)
    records = [old.raw(record) for record in range(len(old.records))]
    return before.joints[0] + lay_out(old, [*records, *new_records], {}) + before.joints[-1]


def new_id(format: str, data: Content) -> str:
    """Return an id for the new session with this content; the same bytes give the same id."""
    return f"ses_{digest(sha256(data))[:26]}" if format == "opencode" else uuid_of(sha256(data), "session")


def rename_session(format: str, data: Content, old: str, new: str) -> bytes:
    """Return the file of a session with its id replaced everywhere."""
    resumer = agentic(format)
    pieces: list[bytes] = []
    position = 0
    for start, end, value in read_values(data):
        changes = resumer.rename(value, old, new)
        pieces += [data[position:start], jsonedit.replace(data[start:end], changes) if changes else data[start:end]]
        position = end
    return b"".join([*pieces, data[position:]])


def read_values(data: Content) -> Iterator[tuple[int, int, Any]]:
    """Yield the JSON values of a file with their spans: the whole document, or one value per line."""
    document = _json(data)
    if document is not None:
        yield 0, len(data), document
        return
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        if line := data[start:end].strip():
            yield start, end, json.loads(line)
        start = end


def _json(data: Content) -> Any:
    """Return the value of a file that is a single document; None for any other file."""
    first = data[: data.find(b"\n") + 1 or len(data)]
    with suppress(json.JSONDecodeError):
        json.loads(first)
        if len(first) < len(data) and data[len(first) : len(first) + 1].strip():
            return None  # the first line is a complete value and more follows
    with suppress(json.JSONDecodeError):
        return json.loads(read_all(data))
    return None
