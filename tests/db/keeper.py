"""A process that archives many compactions: `python -m tests.db.keeper URL NAME NUMBER`."""

from __future__ import annotations

import sys

from compactor_cli.db.database import open_database
from tests.db.sessions import ReadyCompaction, noise, plain_compaction


def compaction(name: str, number: int) -> ReadyCompaction:
    """Return a compaction whose input has pieces in common with all others, and pieces of its own."""
    own = f"{name} {number}\n".encode()
    return plain_compaction(noise(5_000, number) + own * 100, own, session=f"{name}-{number}", summary=name)


if __name__ == "__main__":
    url, name, numbers = sys.argv[1:]
    database = open_database(url)
    sys.stdout.write("begins\n")
    sys.stdout.flush()
    for number in range(int(numbers)):
        compaction(name, number).keep(database, at=float(number))
    database.close()
