"""pi: what is kept as new entries, then a `compaction` that keeps these and nothing before."""

from __future__ import annotations

from typing import Any

from compactor_cli.errors import UsageError
from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Compacted, member


class Pi:
    format = "pi"
    appends = "a compaction, and before it the entries that it keeps"
    lines = True

    def project(self, value: Any) -> str:
        return member(value, "cwd")

    def append(self, compacted: Compacted) -> list[Any]:
        parent = compacted.leaf
        if not parent:
            raise UsageError("entries without ids, of the first version, cannot be followed by others: write anew")
        stamps = compacted.stamps()
        taken = {link.id for link in compacted.before.links if link}
        summary, kept = compacted.lead()
        values: list[Any] = []
        for at, (_, value) in enumerate(kept):
            own = _free(compacted.id("entry", at), taken)
            values.append({**value, "id": own, "parentId": parent, "timestamp": next(stamps)})
            parent = own
        own = _free(compacted.id("compaction"), taken)
        end = {
            "type": "compaction",
            "id": own,
            "parentId": parent,
            "timestamp": next(stamps),
            "summary": summary,
            "firstKeptEntryId": values[0]["id"] if values else own,
            "tokensBefore": compacted.before.tokens,
        }
        return [*values, end]

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        header = isinstance(value, dict) and value.get("type") == "session"
        return {("id",): jsonedit.encode(new)} if header else {}


def _free(uuid: str, taken: set[str]) -> str:
    """Eight hex digits that no entry has yet."""
    digits = uuid.replace("-", "")
    own = next((one for at in range(len(digits) - 7) if (one := digits[at : at + 8]) not in taken), digits)
    taken.add(own)
    return own
