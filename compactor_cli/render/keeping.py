"""Show what was stored from a compaction, as lines for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compactor_cli.model.report import StoredResult


def keeping_lines(kept: StoredResult, recalled: int) -> Iterator[str]:
    """Yield lines about what was stored, and how many memories were inserted into the output."""
    if recalled:
        yield f"recalled: {recalled} {'memory' if recalled == 1 else 'memories'}"
    if kept.compaction is not None:
        yield "archived: compactor restore can restore the original"
    if kept.flushed:
        yield f"remembered: {len(kept.new)} new, {len(kept.known)} already known"
    if kept.manifest:
        yield f"removed content is listed in {kept.manifest}"


def keeping_json(kept: StoredResult) -> dict[str, Any]:
    """Return the report's keys about what was stored; empty if nothing was."""
    value: dict[str, Any] = {}
    if kept.compaction is not None:
        value["archive"] = {"compaction": kept.compaction}
    if kept.flushed:
        value["memories"] = {"new": [memory.id for memory in kept.new], "known": [memory.id for memory in kept.known]}
    if kept.manifest:
        value["manifest"] = kept.manifest
    return value
