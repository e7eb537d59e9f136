"""Ensure that deleted text disappears from the database's files, not only from its tables."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Connection, Table, text

from compactor_cli.db.database import LOCK_TIMEOUT_SECONDS, Database, report_errors
from compactor_cli.db.tables import compactions, metadata, objects, pieces, rounds, sessions
from compactor_cli.errors import StoreError

ARCHIVE = (objects, compactions, pieces, sessions, rounds)
"""The tables of the archive."""


_CURRENT_TRANSACTION = text("SELECT CAST(mod(txid_snapshot_xmax(txid_current_snapshot()), 4294967296) AS text)")
_OLDER_READERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(CAST(:now AS xid))"
)
"""Counts transactions that still see what was deleted before `now`, as far as the user may see other sessions."""
_TABLE_FILE = text("SELECT pg_relation_filepath(CAST(:name AS regclass))")
_OWNS_DATABASE = text("SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()")
_POLL_SECONDS = 0.05
"""Seconds between two checks for such transactions."""


def scrub(database: Database, tables: Sequence[Table] = ()) -> None:
    """Rewrite the database's files without deleted content. Call it outside of transactions.

    SQLite: rewrites the whole file. Deleted rows were already overwritten; this also releases the empty space.

    PostgreSQL: rewrites the files of `tables` (all if none is named). Old text remains in the server's write-ahead log
    until its segments are reused, and in whatever the server archives or replicates. Statistics contain column values
    too: they are collected anew and, if the user owns the database, their old versions are removed from its files.

    Raises StoreError when this is impossible at present, for example while a backup is reading the deleted text.
    """
    if database.is_sqlite:
        with report_errors(database.name), database.engine.connect() as connection:
            # a new connection begins a transaction, in which VACUUM is not allowed
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("VACUUM")
        return
    table_names = [table.name for table in tables or metadata.sorted_tables]
    names = ", ".join(table_names)
    with report_errors(database.name), database.engine.connect() as connection:
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        _await_readers(alone, database.name)
        before = _files(alone, table_names)
        alone.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {names}")
        if before & _files(alone, table_names):
            # for tables that the user does not own, the server only issues a warning
            raise StoreError(
                f"{database.name}: removed, but this user may not rewrite the tables' files, which still contain the "
                f"data; have their owner run VACUUM FULL {names}"
            )
        if alone.execute(_OWNS_DATABASE).scalar_one():
            alone.exec_driver_sql("VACUUM (FULL) pg_catalog.pg_statistic")


def _files(connection: Connection, tables: Sequence[str]) -> set[str]:
    """Return the files that currently hold the tables."""
    return {str(connection.execute(_TABLE_FILE, {"name": name}).scalar_one()) for name in tables}


def _await_readers(connection: Connection, name: str) -> None:
    """Wait for transactions that still see the deleted rows, since for their sake these would be kept in the new
    files."""
    now = connection.execute(_CURRENT_TRANSACTION).scalar_one()
    end = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while connection.execute(_OLDER_READERS, {"now": now}).scalar_one():
        if time.monotonic() > end:
            raise StoreError(
                f"{name}: removed, but another program (a backup?) is still reading it, so the server's files still "
                "contain the data; when it has finished, run VACUUM FULL in the database"
            )
        time.sleep(_POLL_SECONDS)
