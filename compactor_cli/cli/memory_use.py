"""The memory log beside a compaction: what is put into it (`--flush`) and had back from it (`--recall`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from compactor_cli.cli.session import Session
from compactor_cli.memory.recall import RECALLED_ID
from compactor_cli.settings import Settings

if TYPE_CHECKING:
    from compactor_cli.memory.extraction import Remembering
    from compactor_cli.model.memory import Memory
    from compactor_cli.model.report import Compaction
    from compactor_cli.model.transcript import Transcript

_LOOKED_AT = 30
"""Memories that are looked at for each request, of which those that bear on it are taken."""


def recall(session: Session, url: str, query: str, settings: Settings) -> list[Memory]:
    """The memories that answer a query best, the best first; none with a warning when there are none.

    Raises StoreError when the database cannot be read. Nothing is made where there is no database.
    """
    from compactor_cli.db.database import open_existing
    from compactor_cli.memory.stored import memories

    database = open_existing(url)
    if database is None:
        session.warn("--recall: there is no memory log yet; compact --flush or memory add makes one")
        return []
    try:
        with database.read() as connection:
            hits = memories.search(connection, query, limit=settings.memory.recall_count, now=time.time())
    finally:
        database.close()
    if not hits:
        session.warn(f"--recall {query!r}: no memory was found")
    return [hit.memory for hit in hits]


class Bearing(Struct):
    """Finds the memories that bear on a conversation, for `memory.auto_recall`; none where there is no database."""

    url: str
    most: int
    found: dict[str, Memory] = field(default_factory=dict)
    """All that were found, by their ids."""

    def __call__(self, transcript: Transcript) -> list[Memory]:
        """The memories for one conversation, the most relevant first. Raises StoreError when the database cannot be
        read."""
        from compactor_cli.db.database import open_existing
        from compactor_cli.memory.bearing import asked_for, bearing
        from compactor_cli.memory.stored import memories

        database = open_existing(self.url)
        if database is None:
            return []
        chosen: dict[str, Memory] = {}
        try:
            with database.read() as connection:
                for request in asked_for(transcript):
                    hits = memories.search(connection, request, limit=_LOOKED_AT, now=time.time())
                    chosen |= {one.id: one for one in bearing([hit.memory for hit in hits], request)}
        finally:
            database.close()
        self.found |= chosen
        return list(chosen.values())[: self.most]


def put_in(recalled: Sequence[Memory], parts: Sequence[Compaction]) -> list[Memory]:
    """Those of the memories that stand in what became of the conversations."""
    texts = [m.text("text") for part in parts if part.recalled for m in part.messages if m.id == RECALLED_ID]
    return [memory for memory in recalled if any(f", {memory.id}] " in text for text in texts)]


def remembering(session: Session, settings: Settings) -> Remembering:
    """Return what finds the memories of a run's conversations; by the session's model when the settings ask one."""
    from compactor_cli.memory.extraction import Remembering

    model = session.asks(settings.llm) if settings.asks else None
    if model is not None and session.judge is None:
        from compactor_cli.scoring import scorer

        session.judge = scorer("classifier", model, settings.memory.prompt)
    return Remembering(settings, at=time.time(), model=model, judge=session.judge)
