"""Add the memory log, with the database's full text search."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE memories_fts USING fts5("
    # the words are already normalized; this tokenizer splits at blanks and keeps non-ASCII text as it is
    "terms, content='memories', content_rowid='id', tokenize='ascii')",
    "CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN"
    " INSERT INTO memories_fts(rowid, terms) VALUES (new.id, new.terms); END",
    "CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN"
    " INSERT INTO memories_fts(memories_fts, rowid, terms) VALUES ('delete', old.id, old.terms); END",
    "CREATE TRIGGER memories_changed AFTER UPDATE OF terms ON memories BEGIN"
    " INSERT INTO memories_fts(memories_fts, rowid, terms) VALUES ('delete', old.id, old.terms);"
    " INSERT INTO memories_fts(rowid, terms) VALUES (new.id, new.terms); END",
)
_POSTGRESQL_SEARCH = (
    # a separate table, so that a change of importance leaves the index alone
    "CREATE TABLE memory_vectors (memory INTEGER PRIMARY KEY REFERENCES memories(id) ON DELETE CASCADE,"
    " words TSVECTOR NOT NULL)",
    "CREATE INDEX memory_vectors_words ON memory_vectors USING gin (words) WITH (fastupdate = off)",
)


def upgrade() -> None:
    op.create_table(
        "memories",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("importance", sa.Float, nullable=False, index=True),
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
        for statement in _POSTGRESQL_SEARCH:
            op.execute(statement)
