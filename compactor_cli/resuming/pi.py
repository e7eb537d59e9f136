"""pi: a `compaction` that keeps nothing before it, followed by new entries for what is kept."""

from __future__ import annotations

import json
from typing import Any

from compactor_cli.errors import UsageError
from compactor_cli.formats import jsonedit
from compactor_cli.formats.pi import edited_by, edited_entry
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Compacted, member


class ResumedPi:
    format = "pi"
    appends = "a compaction, followed by what is kept"
    lines = True

    def project(self, value: Any) -> str:
        return member(value, "cwd")

    def append(self, compacted: Compacted) -> list[Any]:
        parent = compacted.leaf
        if not parent:
            raise UsageError(
                "entries of the first version have no ids, so nothing can be appended to them; write a new session"
            )
        stamps = compacted.stamps()
        taken = {link.id for link in compacted.before.links if link}
        summary, kept = compacted.lead()
        own = _free(compacted.id("compaction"), taken)
        values: list[Any] = [
            {
                "type": "compaction",
                "id": own,
                "parentId": parent,
                "timestamp": next(stamps),
                "summary": summary,
                "firstKeptEntryId": own,  # nothing before it is kept
                "tokensBefore": compacted.before.tokens,
            }
        ]
        edits = _edits(compacted)
        for index, (_, entry) in enumerate(kept):
            edit = edits.get(member(entry, "id"))
            value = entry if edit is None else edited_entry(entry, edit)
            parent, own = own, _free(compacted.id("entry", index), taken)
            values.append({**value, "id": own, "parentId": parent, "timestamp": next(stamps)})
        return values

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        header = isinstance(value, dict) and value.get("type") == "session"
        return {("id",): jsonedit.encode(new)} if header else {}


def _edits(compacted: Compacted) -> dict[str, dict[str, Any]]:
    """Return entry id -> the edit that replaces the content sent for it."""
    after = compacted.after
    values = (json.loads(after.raw(record)) for record in range(len(after.records)))
    return {name: value for value in values if (name := edited_by(value))}


def _free(uuid: str, taken: set[str]) -> str:
    """Return an id of eight hex digits that no entry has, and add it to `taken`."""
    digits = uuid.replace("-", "")
    own = next((short for start in range(len(digits) - 7) if (short := digits[start : start + 8]) not in taken), digits)
    taken.add(own)
    return own
