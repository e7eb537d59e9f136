"""The tables of the newest schema. `migrations/versions` contains the steps from older schemas."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy import Text as PlainText
from sqlalchemy.types import UserDefinedType

HEAD = "0003"
"""The newest revision in `migrations/versions`."""

metadata = MetaData()


class Text(TypeDecorator[str]):
    """Text that every database accepts: NUL and lone surrogates, which PostgreSQL rejects, become U+FFFD."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
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


_DIGEST = String(64)

objects = Table(
    "objects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sha256", _DIGEST, nullable=False, unique=True),
    Column("size", Integer, nullable=False),  # uncompressed bytes
    Column("stored", Integer, nullable=False, index=True),  # compressed bytes
    Column("data", LargeBinary, nullable=False),
)
"""Pieces of input files, each stored once, compressed with zlib."""

compactions = Table(
    "compactions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("used", Float, nullable=False),  # when it was made or last restored from
    Column("previous", ForeignKey("compactions.id", ondelete="SET NULL"), index=True),
    Column("written", Boolean, nullable=False, default=False),  # whether the output is known to have been written
    Column("kept", Boolean, nullable=False, default=True),  # whether the archive holds its pieces
    Column("format", Text, nullable=False),
    Column("counter", Text, nullable=False),
    Column("input_path", Text, nullable=False),
    Column("input_sha256", _DIGEST, nullable=False, index=True),
    Column("input_size", BigInteger, nullable=False),
    Column("output_path", Text, nullable=False),
    Column("output_sha256", _DIGEST, nullable=False, index=True),
    Column("output_size", BigInteger, nullable=False),
    Column("removed", LargeBinary, nullable=False),  # the manifest's list, JSON compressed by zlib
)
"""One compaction of one file. `previous` is the compaction whose output its input began with."""

pieces = Table(
    "pieces",
    metadata,
    Column("compaction", ForeignKey("compactions.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("object", ForeignKey("objects.id"), nullable=False, index=True),
)
"""The pieces that make up the input of a compaction, in order."""

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),  # id:FORMAT:SESSION, or content:SHA-256 of the first input
)

rounds = Table(
    "rounds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("compaction", ForeignKey("compactions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("conversation", Integer, nullable=False),
    Column("session", ForeignKey("sessions.id"), nullable=False, index=True),
    Column("round", Integer, nullable=False),
    Column("strategy", Text, nullable=False),
    Column("summarizer", Text, nullable=False),
    Column("target", Integer),
    Column("tokens_before", Integer, nullable=False),
    Column("tokens_after", Integer, nullable=False),
    Column("messages_before", Integer, nullable=False),
    Column("messages_after", Integer, nullable=False),
    Column("summary", Text, nullable=False),
    Column("compacted", Text, nullable=False),  # JSON list of message ids
    UniqueConstraint("compaction", "conversation"),
)
"""What a compaction did to each conversation of its file."""

memories = Table(
    "memories",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # assigned by whoever inserts
    Column("digest", _DIGEST, nullable=False, unique=True),
    Column("text", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("importance", Float, nullable=False, index=True),
    Column("confidence", Float, nullable=False),
    Column("created", Float, nullable=False, index=True),
    Column("used", Float),
    Column("uses", Integer, nullable=False, default=0),
    Column("pinned", Boolean, nullable=False, default=False),
    Column("decayed", Float),
    Column("terms", Text, nullable=False),  # the words to search, from memory/search_terms.py
)
"""The search uses `memories_fts` (FTS5, updated by triggers) on SQLite and `memory_vectors` on PostgreSQL."""

memory_tags = Table(
    "memory_tags",
    metadata,
    Column("memory", ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Index("memory_tags_tag", "tag"),
)

memory_sources = Table(
    "memory_sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("memory", ForeignKey("memories.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("transcript", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("messages", Text, nullable=False),  # JSON list of indices
    Column("ids", Text, nullable=False),  # JSON list of the format's message ids
)

memory_vectors = Table(
    "memory_vectors",
    metadata,
    Column("memory", ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
    Column("words", TsVector, nullable=False),
    Index("memory_vectors_words", "words"),  # GIN without fastupdate; stating that here would load PostgreSQL's dialect
)
"""The words of memories with their positions, only in PostgreSQL. A separate table, so that a change of importance
leaves the index alone."""
