"""Making sure that deleted text is gone from the files of a database, not only from its tables."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Connection, Table, text

from compactor_cli.db.database import PATIENCE, Database, reported
from compactor_cli.db.tables import compactions, metadata, objects, pieces, rounds, sessions
from compactor_cli.errors import StoreError

ARCHIVE = (objects, compactions, pieces, sessions, rounds)
"""The tables of the archive."""


_NOW = text("SELECT CAST(mod(txid_snapshot_xmax(txid_current_snapshot()), 4294967296) AS text)")
_OLDER = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(CAST(:now AS xid))"
)
"""Transactions that still see what was deleted before `now`, as far as the user may look at others."""
_FILE = text("SELECT pg_relation_filepath(CAST(:name AS regclass))")
_OWNS_DATABASE = text("SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()")
_PAUSE = 0.05
"""Seconds between two looks at them."""


def scrub(database: Database, tables: Sequence[Table] = ()) -> None:
    """Write the database's files anew, without what was deleted. Call it outside of transactions.

    SQLite: the whole file; deleted rows are overwritten as they are deleted, this takes away the empty room as
    well. PostgreSQL: the files of `tables` (all, when none is named). Its write-ahead log is the server's own: old
    text is in it until the server reuses its segments, and in whatever the server archives or replicates. Raises
    StoreError when it cannot be done now, such as while a backup reads what was deleted.

    The server's statistics hold values of columns, too: they are collected anew, and where the user owns the database,
    old versions of them are taken out of its files as well.
    """
    if database.is_sqlite:
        with reported(database.name), database.engine.connect() as connection:
            # a connection begins a transaction by itself, and files cannot be rewritten in one
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("VACUUM")
        return
    names = ", ".join(table.name for table in tables or metadata.sorted_tables)
    with reported(database.name), database.engine.connect() as connection:
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        _await_readers(alone, database.name)
        named = [table.name for table in tables or metadata.sorted_tables]
        before = _files(alone, named)
        alone.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {names}")
        if before & _files(alone, named):
            # the server only warns of tables that the user does not own
            raise StoreError(
                f"{database.name}: removed, but this user may not rewrite the tables' files, so it is still in them; "
                f"have their owner run VACUUM FULL {names}"
            )
        if alone.execute(_OWNS_DATABASE).scalar_one():
            alone.exec_driver_sql("VACUUM (FULL) pg_catalog.pg_statistic")


def _files(connection: Connection, tables: Sequence[str]) -> set[str]:
    """Return the files that tables are in now."""
    return {str(connection.execute(_FILE, {"name": name}).scalar_one()) for name in tables}


def _await_readers(connection: Connection, name: str) -> None:
    """Wait for those who still see what was deleted: for them it would be written to the new files as well."""
    now = connection.execute(_NOW).scalar_one()
    end = time.monotonic() + PATIENCE
    while connection.execute(_OLDER, {"now": now}).scalar_one():
        if time.monotonic() > end:
            raise StoreError(
                f"{name}: removed, but another program (a backup?) still reads it, so it is still in the "
                "server's files; when that is done, run VACUUM FULL in the database"
            )
        time.sleep(_PAUSE)
