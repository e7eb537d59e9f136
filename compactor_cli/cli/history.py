"""What the archive knows of a session that is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.cli.session import Session
from compactor_cli.db.place import file_of, is_there
from compactor_cli.errors import StoreError
from compactor_cli.model.archived import PastRound
from compactor_cli.model.transcript import Source


def history(session: Session, url: str, source: Source) -> Sequence[PastRound]:
    """The rounds of the sessions in a file, the oldest first. A database that cannot be used is a warning."""
    file = file_of(url)
    try:
        if file is not None and not is_there(file):
            return []  # most users have none: nothing slow is imported for them
    except StoreError as error:
        session.warn(f"without the history of the session: {error}")
        return []
    from compactor_cli.archive.session_names import session_keys
    from compactor_cli.archive.stored import archive, rounds
    from compactor_cli.db.database import open_existing

    try:
        kept = open_existing(url)
        if kept is None:
            return []
        try:
            with kept.read() as connection:
                keys = session_keys(source)
                found = archive.find_compaction(connection, source.stored, keys)
                return rounds.history(connection, keys, [found.id] if found else [])
        finally:
            kept.close()
    except StoreError as error:
        session.warn(f"without the history of the session: {error}")
        return []
