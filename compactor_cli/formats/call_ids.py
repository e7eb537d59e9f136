"""Ids of calls, for formats in which calls and results may lack them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from compactor_cli.model.message import LEGACY_ID


class CallIds:
    """Supplies missing ids. A result without an id answers the oldest open call of the same name."""

    def __init__(self) -> None:
        self._open_ids: dict[str, list[str]] = defaultdict(list)
        self._count = 0

    def call(self, recorded: Any, name: str) -> str:
        """Return the id of a call: the recorded one, or a new one."""
        self._count += 1
        call_id = recorded if isinstance(recorded, str) and recorded else f"{LEGACY_ID}{self._count}"
        self._open_ids[name].append(call_id)
        return call_id

    def response(self, recorded: Any, name: str) -> str:
        """Return the id of the call that a response answers."""
        waiting = self._open_ids[name]
        if not (isinstance(recorded, str) and recorded):
            return waiting.pop(0) if waiting else f"{LEGACY_ID}unknown"
        self.close(recorded, name)
        return recorded

    def close(self, call_id: str, name: str) -> None:
        """Mark a call as answered."""
        if call_id in self._open_ids[name]:
            self._open_ids[name].remove(call_id)
