"""Show what was stored from a compaction, as lines for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compactor_cli.model.report import StoredResult


def keeping_lines(stored_result: StoredResult, recalled: int) -> Iterator[str]:
    """Yield lines about what was stored, and how many memories were inserted into the output."""
    if recalled:
        yield f"recalled: {recalled} {'memory' if recalled == 1 else 'memories'}"
    if stored_result.compaction is not None:
        yield "archived: compactor restore can restore the original"
    if stored_result.flushed:
        yield f"remembered: {len(stored_result.new)} new, {len(stored_result.known)} already known"
    if stored_result.manifest:
        yield f"removed content is listed in {stored_result.manifest}"


def keeping_json(stored_result: StoredResult) -> dict[str, Any]:
    """Return the report's keys about what was stored; empty if nothing was."""
    value: dict[str, Any] = {}
    if stored_result.compaction is not None:
        value["archive"] = {"compaction": stored_result.compaction}
    if stored_result.flushed:
        value["memories"] = {
            "new": [memory.id for memory in stored_result.new],
            "known": [memory.id for memory in stored_result.known],
        }
    if stored_result.manifest:
        value["manifest"] = stored_result.manifest
    return value
