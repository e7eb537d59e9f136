"""Which inputs are data sets in Parquet. Nothing slow is imported for that."""

from __future__ import annotations

import stat
from pathlib import Path

from compactor_cli.cli.remote import is_remote

_MAGIC = b"PAR1"


def is_parquet(path: str) -> bool:
    """Return whether a file is Parquet, by how it begins; one in a store by its name."""
    if is_remote(path):
        return path.lower().endswith((".parquet", ".pq"))
    try:
        file = Path(path)
        if path == "-" or not stat.S_ISREG(file.stat().st_mode):
            return False  # what is read from a pipe is gone from it
        with file.open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False
