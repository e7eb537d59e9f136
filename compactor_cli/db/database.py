"""The database, SQLite or PostgreSQL: opening it, updating its schema, transactions, and errors.

Every write is one transaction. On SQLite it takes the write lock at its beginning, so that whatever it reads stays
valid until it is committed. Older schemas are migrated by alembic, newer ones are rejected.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from compactor_cli.db.place import is_there, sqlite_file
from compactor_cli.db.tables import HEAD
from compactor_cli.errors import StoreError, UsageError
from compactor_cli.text.paths import mask_address

T = TypeVar("T")

BATCH = 500
"""Number of values in one statement; databases limit its parameters."""
LOCK_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for another process that is writing, or for a server to answer."""
_CONNECTION_LOST = "the connection to the server was lost, and unfinished changes were not stored; run again"
_EXPLANATIONS = (
    ("database is locked", "another process has been writing to it for too long; try again when it is done"),
    ("lock timeout", "another process has been writing to it for too long; try again when it is done"),
    ("disk is full", "the disk is full; free some space and run again"),
    ("no space left", "the disk is full; free some space and run again"),
    ("disk i/o error", "the disk cannot be written to; it may be full or broken"),
    ("readonly database", "it cannot be written to; change its permissions, or name another one with --database"),
    ("read-only transaction", "it cannot be written to; name another one with --database"),
    ("permission denied", "the user lacks the permission; use another user or another database"),
    ("unable to open", "it cannot be opened; check its folder's permissions, or name another one with --database"),
    ("not a database", "the file is not an SQLite database; name another one with --database"),
    ("malformed", "the file is damaged; restore a copy of it, or move it away to start a new one"),
    ("password authentication", "the server rejects the user or password; check the address"),
    ('database "', "the server has no such database; create it, or name another one"),
    ('role "', "the user does not exist on the server; create it, or name another one in the address"),
    ("connection refused", "no server answers at this address; start it, or name another database"),
    ("could not translate host", "the host does not exist; check the address"),
    ("name resolution", "the host does not exist; check the address"),
    ("timeout expired", "the server does not answer; check the address and that it runs"),
    ("invalid connection option", "the address has an option that the driver does not know; check it"),
    ("invalid sslmode", "the address has an option that the driver does not know; check it"),
    ("already exists", "a table of another program has this name; use a separate database for compactor"),
    ("terminating connection", _CONNECTION_LOST),
    ("server closed the connection", _CONNECTION_LOST),
    ("connection is closed", _CONNECTION_LOST),
    ("consuming input failed", _CONNECTION_LOST),
)
"""Lower-case excerpt of an error message -> what is wrong and what to do. The first match counts."""
_LOCK = 0x636F6D70
"""Key of PostgreSQL's advisory lock that is held during a schema change."""
VERSIONS = "compactor_schema"
"""A separate version table, since another program may also use alembic in this database."""


class Database(Struct, frozen=True):
    """An open database with the newest schema."""

    engine: Engine
    name: str
    """Path of its file, or its address without the password, for display."""
    file: Path | None
    """The file of an SQLite database; None on a server."""

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Provide a read-only transaction. Raises StoreError."""
        with report_errors(self.name), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Provide a write transaction that is stored completely or not at all. Raises StoreError."""
        with report_errors(self.name), self.engine.connect() as connection:
            writing = connection.execution_options(writes=True)
            with writing.begin():
                yield writing

    def close(self) -> None:
        self.engine.dispose()


@contextmanager
def report_errors(name: str) -> Iterator[None]:
    """Turn database errors into StoreError with a readable explanation."""
    try:
        yield
    except SQLAlchemyError as error:
        if isinstance(error, DBAPIError):
            raise StoreError(f"{name}: {explain(error)}") from error
        raise


def open_database(url: str) -> Database:
    """Return the database at an address, creating it if necessary. An empty address means the file in the user's data
    folder.

    Raises StoreError when the database cannot be used, and UsageError for an invalid address.
    """
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        _prepare(Path(str(address.database)))
    return _open_current(address, url)


def open_existing(url: str) -> Database | None:
    """Return the database at an address if it contains anything, else None; nothing is created."""
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        file = Path(str(address.database))
        return _open_current(address, url) if is_there(file) and file.stat().st_size > 0 else None
    engine = _engine(address)
    try:
        with report_errors(mask_address(url)), engine.connect() as connection:
            exists = bool(version_of(connection))
    finally:
        engine.dispose()
    return _open_current(address, url) if exists else None


def _open_current(address: URL, url: str) -> Database:
    """Return the database with the newest schema. Nothing is locked if the schema is up to date."""
    sqlite = address.get_backend_name() == "sqlite"
    file = Path(str(address.database)) if sqlite else None
    name = str(file) if file else mask_address(url)
    database = Database(_engine(address), name, file)
    try:
        with database.read() as connection:
            version = version_of(connection)
        if version != HEAD:
            with database.write() as connection:
                bring_up_to_date(connection, name)
    except BaseException:  # close the connection on interrupts too
        database.close()
        raise
    return database


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def _address(url: str) -> URL:
    """Return the address with the driver to use."""
    file = sqlite_file(url)
    if file is not None:
        return URL.create("sqlite", database=str(file))
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError("the database's address cannot be parsed; use postgresql://USER@HOST/NAME or a path") from None
    if address.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return address.set(drivername="postgresql+psycopg")
    raise UsageError(f"databases of the kind {address.drivername!r} are not supported; use PostgreSQL or SQLite")


def _engine(address: URL) -> Engine:
    if address.get_backend_name() == "sqlite":
        engine = create_engine(address, connect_args={"timeout": LOCK_TIMEOUT_SECONDS, "check_same_thread": False})
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        import psycopg  # noqa: F401  # the driver is an extra; importing it here allows a readable error
    except ImportError:
        raise UsageError(
            'PostgreSQL needs a driver that is not installed: pip install "compactor-cli[postgresql]"'
        ) from None
    settings = {
        "connect_timeout": int(LOCK_TIMEOUT_SECONDS),
        "options": f"-c lock_timeout={int(LOCK_TIMEOUT_SECONDS * 1000)}",
    }
    return create_engine(address, connect_args=settings)


def _set_up_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # transactions begin in `_begin_sqlite`
    # overwrite deleted content, and delete the journal with its transaction
    for setting in ("foreign_keys = ON", "secure_delete = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    # a writer takes the lock at once: taking it later could fail and lose the work
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare(file: Path) -> None:
    """Create the database's folder and its file, which only the owner can read because it holds session texts."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(
            f"{file}: cannot be written: {error.strerror}; name another database with --database"
        ) from None


def explain(error: DBAPIError) -> str:
    """Return an explanation with advice, followed by the database's own message."""
    message = " ".join(str(error.orig).split())
    low = message.lower()
    meaning = next((meaning for words, meaning in _EXPLANATIONS if words in low), "")
    if not meaning and error.connection_invalidated:
        meaning = _CONNECTION_LOST
    return f"{meaning} ({message[:200]})" if meaning else f"the database failed: {message[:300]}"


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
