"""Alembic's entry point: migrates in the transaction and over the connection that the store has opened."""

from __future__ import annotations

from alembic import context

from compactor_cli.db.database import VERSIONS

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=None, version_table=VERSIONS)
with context.begin_transaction():
    context.run_migrations()
