"""Open the database of archive and memory log for a block. The import is slow, so it happens on opening."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

from compactor_cli.db.place import is_there, sqlite_file

if TYPE_CHECKING:
    from compactor_cli.db.database import Database


def missing_database(url: str) -> str:
    """Return a message if the database's file does not exist; empty if it does, or if the database is on a server."""
    file = sqlite_file(url)
    is_missing = file is not None and not is_there(file)
    return f"the database {file} does not exist; name another one with --database" if is_missing else ""


@contextmanager
def existing_database(url: str) -> Iterator[Database | None]:
    """Yield the database at an address; None, without creating anything, if nothing was ever stored. Raises
    StoreError."""
    file = sqlite_file(url)
    if file is not None and not is_there(file):
        yield None
        return
    from compactor_cli.db.database import open_existing

    database = open_existing(url)
    with closing(database) if database else nullcontext():
        yield database


@contextmanager
def create_database(url: str) -> Iterator[Database]:
    """Yield the database at an address, and create it if necessary. Raises StoreError if it cannot be used."""
    from compactor_cli.db.database import open_database

    with closing(open_database(url)) as database:
        yield database
