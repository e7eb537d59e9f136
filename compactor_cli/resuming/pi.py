"""pi: a `compaction` that keeps nothing before it, followed by new entries for what is kept."""

from __future__ import annotations

import json
from typing import Any

from compactor_cli.errors import UsageError
from compactor_cli.formats import jsonedit
from compactor_cli.formats.pi import apply_edit, edited_id
from compactor_cli.formats.values import word
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Agentic, Compacted


class ResumedPi(Agentic):
    format = "pi"
    appends = "a compaction, followed by what is kept"

    def append(self, compacted: Compacted) -> list[Any]:
        parent = compacted.leaf
        if not parent:
            raise UsageError(
                "entries of the first version have no ids, so nothing can be appended to them; write a new session"
            )
        stamps = compacted.stamps()
        used_ids = {link.id for link in compacted.before.links if link}
        summary, kept = compacted.lead()
        compaction_id = _free_id(compacted.id("compaction"), used_ids)
        values: list[Any] = [
            {
                "type": "compaction",
                "id": compaction_id,
                "parentId": parent,
                "timestamp": next(stamps),
                "summary": summary,
                "firstKeptEntryId": compaction_id,  # nothing before it is kept
                "tokensBefore": compacted.before.tokens,
            }
        ]
        edits = _edits(compacted)
        for index, (_, entry) in enumerate(kept):
            edit = edits.get(word(entry, "id"))
            value = entry if edit is None else apply_edit(entry, edit)
            parent, compaction_id = compaction_id, _free_id(compacted.id("entry", index), used_ids)
            values.append({**value, "id": compaction_id, "parentId": parent, "timestamp": next(stamps)})
        return values

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        header = isinstance(value, dict) and value.get("type") == "session"
        return {("id",): jsonedit.encode(new)} if header else {}


def _edits(compacted: Compacted) -> dict[str, dict[str, Any]]:
    """Return entry id -> the edit that replaces the content sent for it."""
    after = compacted.after
    values = (json.loads(after.raw(record)) for record in range(len(after.records)))
    return {name: value for value in values if (name := edited_id(value))}


def _free_id(uuid: str, used_ids: set[str]) -> str:
    """Return an id of eight hex digits that no entry has, and add it to `used_ids`."""
    digits = uuid.replace("-", "")
    candidates = (digits[start : start + 8] for start in range(len(digits) - 7))
    free_id = next((candidate for candidate in candidates if candidate not in used_ids), digits)
    used_ids.add(free_id)
    return free_id
