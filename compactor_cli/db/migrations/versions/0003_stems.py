"""Recompute the search terms of memories from their texts, now without word endings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from compactor_cli.memory.search_terms import term_text
from compactor_cli.memory.stored.memory_rows import search_vector

revision = "0003"
down_revision = "0002"

_BATCH = 1_000
"""Number of rows processed at a time."""


def upgrade() -> None:
    connection = op.get_bind()
    postgresql = connection.dialect.name == "postgresql"
    last = 0
    while True:
        chosen = sa.text("SELECT id, text FROM memories WHERE id > :last ORDER BY id LIMIT :most")
        rows = connection.execute(chosen, {"last": last, "most": _BATCH}).all()
        if not rows:
            return
        last = rows[-1].id
        found = [{"id": row.id, "terms": term_text(row.text)} for row in rows]
        # on SQLite, a trigger updates the index
        connection.execute(sa.text("UPDATE memories SET terms = :terms WHERE id = :id"), found)
        if postgresql:
            changed = [{"id": one["id"], "words": search_vector(one["terms"])} for one in found]
            connection.execute(
                sa.text("UPDATE memory_vectors SET words = CAST(:words AS tsvector) WHERE memory = :id"), changed
            )
