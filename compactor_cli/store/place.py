"""Where the database is when no other is named. Imports nothing slow."""

from __future__ import annotations

from pathlib import Path


def default_file() -> Path:
    """`compactor.sqlite3` in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("compactor", appauthor=False) / "compactor.sqlite3"
