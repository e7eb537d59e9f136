"""The tables of the newest schema. `migrations/versions` contains the steps from older schemas."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import Text as PlainText
from sqlalchemy.types import UserDefinedType

HEAD = "0003"
"""The newest revision in `migrations/versions`."""

metadata = sa.MetaData()


class Text(sa.TypeDecorator[str]):
    """Text that every database accepts: NUL and lone surrogates, which PostgreSQL rejects, become U+FFFD."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        if value is None or (value.isascii() and "\0" not in value):
            return value
        return value.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


class TsVector(UserDefinedType[str]):
    """PostgreSQL's type for words with their positions. Defined here to avoid loading PostgreSQL's dialect."""

    cache_ok = True

    def get_col_spec(self, **options: Any) -> str:
        return "TSVECTOR"


class TsQuery(UserDefinedType[str]):
    """PostgreSQL's type for search queries."""

    cache_ok = True

    def get_col_spec(self, **options: Any) -> str:
        return "TSQUERY"


_DIGEST = sa.String(64)

objects = sa.Table(
    "objects",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sha256", _DIGEST, nullable=False, unique=True),
    sa.Column("size", sa.Integer, nullable=False),  # uncompressed bytes
    sa.Column("stored", sa.Integer, nullable=False, index=True),  # compressed bytes
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""Pieces of input files, each stored once, compressed with zlib."""

compactions = sa.Table(
    "compactions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),  # seconds since 1970
    sa.Column("used", sa.Float, nullable=False),  # when it was made or last restored from
    sa.Column("previous", sa.ForeignKey("compactions.id", ondelete="SET NULL"), index=True),
    sa.Column("written", sa.Boolean, nullable=False, default=False),  # whether the output is known to have been written
    sa.Column("kept", sa.Boolean, nullable=False, default=True),  # whether the archive holds its pieces
    sa.Column("format", Text, nullable=False),
    sa.Column("counter", Text, nullable=False),
    sa.Column("input_path", Text, nullable=False),
    sa.Column("input_sha256", _DIGEST, nullable=False, index=True),
    sa.Column("input_size", sa.BigInteger, nullable=False),
    sa.Column("output_path", Text, nullable=False),
    sa.Column("output_sha256", _DIGEST, nullable=False, index=True),
    sa.Column("output_size", sa.BigInteger, nullable=False),
    sa.Column("removed", sa.LargeBinary, nullable=False),  # the manifest's list, JSON compressed by zlib
)
"""One compaction of one file. `previous` is the compaction whose output its input began with."""

pieces = sa.Table(
    "pieces",
    metadata,
    sa.Column("compaction", sa.ForeignKey("compactions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("object", sa.ForeignKey("objects.id"), nullable=False, index=True),
)
"""The pieces that make up the input of a compaction, in order."""

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", Text, nullable=False, unique=True),  # id:FORMAT:SESSION, or content:SHA-256 of the first input
)

rounds = sa.Table(
    "rounds",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("compaction", sa.ForeignKey("compactions.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("conversation", sa.Integer, nullable=False),
    sa.Column("session", sa.ForeignKey("sessions.id"), nullable=False, index=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("strategy", Text, nullable=False),
    sa.Column("summarizer", Text, nullable=False),
    sa.Column("target", sa.Integer),
    sa.Column("tokens_before", sa.Integer, nullable=False),
    sa.Column("tokens_after", sa.Integer, nullable=False),
    sa.Column("messages_before", sa.Integer, nullable=False),
    sa.Column("messages_after", sa.Integer, nullable=False),
    sa.Column("summary", Text, nullable=False),
    sa.Column("compacted", Text, nullable=False),  # JSON list of message ids
    sa.UniqueConstraint("compaction", "conversation"),
)
"""What a compaction did to each conversation of its file."""

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),  # assigned by whoever inserts
    sa.Column("digest", _DIGEST, nullable=False, unique=True),
    sa.Column("text", Text, nullable=False),
    sa.Column("category", Text, nullable=False),
    sa.Column("importance", sa.Float, nullable=False, index=True),
    sa.Column("confidence", sa.Float, nullable=False),
    sa.Column("created", sa.Float, nullable=False, index=True),
    sa.Column("used", sa.Float),
    sa.Column("uses", sa.Integer, nullable=False, default=0),
    sa.Column("pinned", sa.Boolean, nullable=False, default=False),
    sa.Column("decayed", sa.Float),
    sa.Column("terms", Text, nullable=False),  # the words to search, from memory/search_terms.py
)
"""The search uses `memories_fts` (FTS5, updated by triggers) on SQLite and `memory_vectors` on PostgreSQL."""

memory_tags = sa.Table(
    "memory_tags",
    metadata,
    sa.Column("memory", sa.ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("tag", Text, primary_key=True),
    sa.Index("memory_tags_tag", "tag"),
)

memory_sources = sa.Table(
    "memory_sources",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("memory", sa.ForeignKey("memories.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("transcript", Text, nullable=False),
    sa.Column("session", Text, nullable=False),
    sa.Column("messages", Text, nullable=False),  # JSON list of indices
    sa.Column("ids", Text, nullable=False),  # JSON list of the format's message ids
)

memory_vectors = sa.Table(
    "memory_vectors",
    metadata,
    sa.Column("memory", sa.ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("words", TsVector, nullable=False),
    sa.Index(
        "memory_vectors_words", "words"
    ),  # GIN without fastupdate; stating that here would load PostgreSQL's dialect
)
"""The words of memories with their positions, only in PostgreSQL. A separate table, so that a change of importance
leaves the index alone."""
