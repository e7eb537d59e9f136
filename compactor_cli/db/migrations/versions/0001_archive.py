"""Add the archive: originals, compactions and their rounds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "objects",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("stored", sa.Integer, nullable=False, index=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "compactions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("used", sa.Float, nullable=False),
        sa.Column("previous", sa.Integer, sa.ForeignKey("compactions.id", ondelete="SET NULL"), index=True),
        sa.Column("written", sa.Boolean, nullable=False),
        sa.Column("kept", sa.Boolean, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("counter", sa.Text, nullable=False),
        sa.Column("input_path", sa.Text, nullable=False),
        sa.Column("input_sha256", sa.String(64), nullable=False, index=True),
        sa.Column("input_size", sa.BigInteger, nullable=False),
        sa.Column("output_path", sa.Text, nullable=False),
        sa.Column("output_sha256", sa.String(64), nullable=False, index=True),
        sa.Column("output_size", sa.BigInteger, nullable=False),
        sa.Column("removed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "pieces",
        sa.Column("compaction", sa.Integer, sa.ForeignKey("compactions.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("object", sa.Integer, sa.ForeignKey("objects.id"), nullable=False, index=True),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "compaction", sa.Integer, sa.ForeignKey("compactions.id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("conversation", sa.Integer, nullable=False),
        sa.Column("session", sa.Integer, sa.ForeignKey("sessions.id"), nullable=False, index=True),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("strategy", sa.Text, nullable=False),
        sa.Column("summarizer", sa.Text, nullable=False),
        sa.Column("target", sa.Integer),
        sa.Column("tokens_before", sa.Integer, nullable=False),
        sa.Column("tokens_after", sa.Integer, nullable=False),
        sa.Column("messages_before", sa.Integer, nullable=False),
        sa.Column("messages_after", sa.Integer, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("compacted", sa.Text, nullable=False),
        sa.UniqueConstraint("compaction", "conversation"),
    )
