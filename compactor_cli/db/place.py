"""Find where the database is. Imports nothing slow."""

from __future__ import annotations

import re
from pathlib import Path

from compactor_cli.errors import StoreError, UsageError
from compactor_cli.text.patterns import compiled_later

_OTHER_ADDRESS = compiled_later(r"\w{2,}:(?!//)|\s*(?:host|hostaddr|port|dbname|user|password)\s*=", re.IGNORECASE)
"""Forms of server addresses that would otherwise be taken for file names."""


def default_file() -> Path:
    """Return `compactor.sqlite3` in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("compactor", appauthor=False) / "compactor.sqlite3"


def sqlite_file(url: str) -> Path | None:
    """Return the SQLite file of an address: a path, `sqlite:///PATH`, or empty for the default file. None for a server.

    Raises UsageError for an invalid address.
    """
    if not url:
        return default_file()
    kind, separator, remainder = url.partition("://")
    if separator and kind.partition("+")[0] != "sqlite":
        return None
    if not separator and _OTHER_ADDRESS.match(url):
        raise UsageError(
            "--database: neither a path nor an address; write postgresql://USER@HOST/NAME, or the path of a file"
        )
    path = Path(remainder.removeprefix("/")) if separator else Path(url)
    if path.name in ("", ":memory:"):
        raise UsageError("--database names no SQLite file; use a path, or sqlite:///PATH")
    try:
        return path.expanduser()
    except RuntimeError:
        raise UsageError(f"--database {url}: the user does not exist; check the path") from None


def is_there(file: Path) -> bool:
    """Return whether the file exists. Raises StoreError if that cannot be determined."""
    try:
        return file.exists()
    except OSError as error:
        raise StoreError(f"{file}: cannot be read: {error.strerror}; change its permissions") from None
