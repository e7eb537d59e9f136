"""Where the database is when no other is named. Imports nothing slow."""

from __future__ import annotations

from pathlib import Path


def default_file() -> Path:
    """`compactor.sqlite3` in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("compactor", appauthor=False) / "compactor.sqlite3"


def file_of(url: str) -> Path | None:
    """The SQLite file of an address: a path, `sqlite:///PATH`, or empty for the usual one. None for a server."""
    if not url:
        return default_file()
    if "://" not in url:
        return Path(url).expanduser()
    kind, _, rest = url.partition("://")
    if kind.partition("+")[0] != "sqlite":
        return None
    return Path(rest.removeprefix("/")).expanduser()
