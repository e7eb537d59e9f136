"""The memory log beside a compaction: what is put into it (`--flush`) and had back from it (`--recall`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from compactor_cli.cli.session import Session
from compactor_cli.pipeline.recall import RECALLED_ID
from compactor_cli.settings import Settings

if TYPE_CHECKING:
    from compactor_cli.model.memories import Memory
    from compactor_cli.model.report import Compaction
    from compactor_cli.model.score import Score
    from compactor_cli.model.transcript import Source, Transcript


def recall(session: Session, url: str, query: str, settings: Settings) -> list[Memory]:
    """The memories that answer a query best, the best first; none with a warning when there are none.

    Raises StoreError when the database cannot be read. Nothing is made where there is no database.
    """
    from compactor_cli.store import memories
    from compactor_cli.store.database import open_existing

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


def put_in(recalled: Sequence[Memory], parts: Sequence[Compaction]) -> list[Memory]:
    """Those of the memories that stand in what became of the conversations."""
    texts = [m.text("text") for part in parts if part.recalled for m in part.messages if m.id == RECALLED_ID]
    return [memory for memory in recalled if any(f", {memory.id}] " in text for text in texts)]


def flush(
    session: Session, source: Source, settings: Settings, at: float, parts: Sequence[Compaction] = ()
) -> list[Memory]:
    """What is worth remembering of each conversation of a file, in order; by the session's model when the settings
    ask one. `parts`: what became of the conversations; scores of the classifier among it are not asked for again.
    Raises ModelError when the model fails and falling back is not allowed."""
    from compactor_cli.pipeline.extracting import extract_memories

    model = session.asks(settings.llm) if settings.asks else None
    classified = settings.scorer_name == "classifier"
    found: list[Memory] = []
    for number, transcript in enumerate(source.transcripts):
        scores = _scores(transcript, parts[number]) if classified and number < len(parts) else None
        found += extract_memories(transcript, settings, at=at, model=model, scores=scores)
    return found


def _scores(transcript: Transcript, part: Compaction) -> Sequence[Score] | None:
    """The scores of a conversation's messages; None when it was not scored, or repaired first."""
    same = [message.records for message in transcript.messages] == [m.records for m in part.mended.messages]
    return part.scores if part.scores and same else None
