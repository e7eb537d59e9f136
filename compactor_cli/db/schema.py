"""Schema versions: older ones are migrated by alembic, newer ones are rejected."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from compactor_cli.db.tables import HEAD
from compactor_cli.errors import StoreError

_LOCK = 0x636F6D70
"""Key of PostgreSQL's advisory lock that is held during a schema change."""
VERSIONS = "compactor_schema"
"""A separate version table, since another program may also use alembic in this database."""


def version_of(connection: Connection) -> str:
    """Return the revision of a database's schema; empty if it has none."""
    if not inspect(connection).has_table(VERSIONS):
        return ""
    return str(connection.execute(text(f"SELECT version_num FROM {VERSIONS}")).scalar() or "")


def bring_up_to_date(connection: Connection, name: str) -> None:
    """Migrate to the newest schema within the current transaction. Raises StoreError for a newer schema."""
    if version_of(connection) == HEAD:
        return
    if connection.dialect.name == "postgresql":
        # on SQLite the transaction already holds the write lock
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    version = version_of(connection)
    if version == HEAD:
        return
    if version and not version.isdigit():
        raise StoreError(
            f"{name}: its schema {version!r} is not one of compactor's; name another database with --database"
        )
    if version > HEAD:
        raise StoreError(
            f"{name}: its schema {version} is newer than {HEAD}, the newest one that this version of compactor "
            "knows; update compactor, or name another database with --database"
        )
    migrate(connection, HEAD)


def migrate(connection: Connection, revision: str) -> None:
    """Run the migrations up to a revision."""
    import logging

    from alembic import command  # needed once per database
    from alembic.config import Config

    logging.getLogger("alembic").setLevel(logging.WARNING)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
