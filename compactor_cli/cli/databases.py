"""The database of archive and memory log, open for the time of a block; imported when it is opened, that is slow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from compactor_cli.db.place import file_of, is_there

if TYPE_CHECKING:
    from compactor_cli.db.database import Database


def not_there(url: str) -> str:
    """Return words on a database whose file is not there; empty for any other, and for a server's."""
    file = file_of(url)
    return "" if file is None or is_there(file) else f"there is no database {file}; --database names another one"


@contextmanager
def existing_database(url: str) -> Iterator[Database | None]:
    """Yield the database at an address; None when nothing was ever stored there, and nothing is made or imported for
    it.

    Raises StoreError when it cannot be used."""
    file = file_of(url)
    if file is not None and not is_there(file):
        yield None
        return
    from compactor_cli.db.database import open_existing

    database = open_existing(url)
    try:
        yield database
    finally:
        if database:
            database.close()


@contextmanager
def made_database(url: str) -> Iterator[Database]:
    """Yield the database at an address, made where there is none. Raises StoreError when it cannot be used."""
    from compactor_cli.db.database import open_database

    database = open_database(url)
    try:
        yield database
    finally:
        database.close()
