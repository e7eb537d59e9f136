"""The memory log, with the full text search of the database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0002"
down_revision = "0001"

_SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE memories_fts USING fts5("
    "terms, content='memories', content_rowid='id', tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN"
    " INSERT INTO memories_fts(rowid, terms) VALUES (new.id, new.terms); END",
    "CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN"
    " INSERT INTO memories_fts(memories_fts, rowid, terms) VALUES ('delete', old.id, old.terms); END",
    "CREATE TRIGGER memories_changed AFTER UPDATE OF terms ON memories BEGIN"
    " INSERT INTO memories_fts(memories_fts, rowid, terms) VALUES ('delete', old.id, old.terms);"
    " INSERT INTO memories_fts(rowid, terms) VALUES (new.id, new.terms); END",
)


def upgrade() -> None:
    op.create_table(
        "memories",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("importance", sa.Float, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("created", sa.Float, nullable=False, index=True),
        sa.Column("used", sa.Float),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("decayed", sa.Float),
        sa.Column("terms", sa.Text, nullable=False),
    )
    op.create_table(
        "memory_tags",
        sa.Column("memory", sa.Integer, sa.ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
    )
    op.create_index("memory_tags_tag", "memory_tags", ["tag"])
    op.create_table(
        "memory_sources",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("memory", sa.Integer, sa.ForeignKey("memories.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("transcript", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("messages", sa.Text, nullable=False),
        sa.Column("ids", sa.Text, nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        for statement in _SQLITE_SEARCH:
            op.execute(statement)
    else:
        search = sa.Column("search", TSVECTOR, sa.Computed("to_tsvector('simple', terms)", persisted=True))
        op.add_column("memories", search)
        op.create_index("memories_search", "memories", ["search"], postgresql_using="gin")
