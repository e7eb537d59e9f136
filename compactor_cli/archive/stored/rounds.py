"""Rounds: the compactions of each session in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict, replace
from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select

from compactor_cli.archive.manifest import content_key, id_key
from compactor_cli.archive.stored.archive_pieces import insert_new
from compactor_cli.db.database import batches
from compactor_cli.db.tables import compactions, rounds, sessions
from compactor_cli.model.archived import Manifest, PastRound, Round

_MAX_INTEGER = 2**31 - 1
"""The largest round number that every database accepts; a text may claim any number."""
_OF_COMPACTION = ("at", "input_path", "output_path", "kept", "written")


def add_rounds(
    connection: Connection, compaction: int, manifest: Manifest, earlier: Sequence[int], related: Sequence[int]
) -> None:
    """Store the rounds of a compaction. `earlier`: compactions that the input came from, nearest first; they determine
    the number, and the session if the format has no id, else `related` ones of the session."""
    before = _by_conversation(connection, earlier)
    previous_rounds = {**_by_conversation(connection, related), **before}
    for entry in manifest.rounds:
        last, same = before.get(entry.conversation), previous_rounds.get(entry.conversation)
        if entry.session:
            key = id_key(manifest.format, entry.session)
        else:
            key = same.session if same else content_key(manifest, entry)
        number = max(entry.round, last.round.round + 1 if last else 1)
        connection.execute(insert(rounds), [_row(connection, compaction, key, replace(entry, round=number))])


def history(connection: Connection, keys: Sequence[str] = (), ids: Sequence[int] = ()) -> list[PastRound]:
    """Return the rounds of sessions with these keys or compactions, from oldest to newest."""
    session_ids: set[int] = set()
    for batch in batches(keys):
        session_ids |= set(connection.execute(select(sessions.c.id).where(sessions.c.key.in_(batch))).scalars())
    for part in batches(ids):
        session_ids |= set(connection.execute(select(rounds.c.session).where(rounds.c.compaction.in_(part))).scalars())
    past_rounds: list[PastRound] = []
    for chosen in batches(sorted(session_ids)):
        past_rounds += _past_rounds(connection, rounds.c.session.in_(chosen))
    return sorted(past_rounds, key=lambda past: (past.at, past.compaction, past.round.conversation))


def rounds_of(connection: Connection, compaction: int) -> list[PastRound]:
    """Return the rounds of one compaction, ordered by conversation."""
    return _past_rounds(connection, rounds.c.compaction == compaction)


def forget_empty_sessions(connection: Connection) -> None:
    has_rounds = select(rounds.c.id).where(rounds.c.session == sessions.c.id).exists()
    connection.execute(delete(sessions).where(~has_rounds))


def _by_conversation(connection: Connection, ids: Sequence[int]) -> dict[int, PastRound]:
    """Return the nearest round of each conversation. `ids`: compactions, nearest first."""
    order = {compaction: position for position, compaction in enumerate(ids)}
    past_rounds: list[PastRound] = []
    for batch in batches(ids):
        past_rounds += _past_rounds(connection, rounds.c.compaction.in_(batch))
    past_rounds.sort(key=lambda past: order[past.compaction], reverse=True)
    return {past.round.conversation: past for past in past_rounds}


def _row(connection: Connection, compaction: int, key: str, entry: Round) -> dict[str, Any]:
    insert_new(connection, sessions, [{"key": key}])
    session = connection.execute(select(sessions.c.id).where(sessions.c.key == key)).scalar_one()
    own = {"compaction": compaction, "session": session, "round": min(entry.round, _MAX_INTEGER)}
    return {**asdict(entry), **own, "compacted": json.dumps(entry.compacted)}


def _past_rounds(connection: Connection, condition: ColumnElement[bool]) -> list[PastRound]:
    """Return the rounds that meet a condition, ordered by conversation."""
    files = (compactions.c[name] for name in (*_OF_COMPACTION, "format"))
    joined = rounds.join(compactions, compactions.c.id == rounds.c.compaction)
    columns = select(rounds, *files, sessions.c.key)
    query = columns.select_from(joined.join(sessions, sessions.c.id == rounds.c.session))
    return [_past_round(row) for row in connection.execute(query.where(condition).order_by(rounds.c.conversation))]


def _past_round(row: Row[Any]) -> PastRound:
    own_id = id_key(row.format, "")
    values = {name: getattr(row, name) for name in Round.__struct_fields__}
    values["session"] = row.key.removeprefix(own_id) if row.key.startswith(own_id) else ""
    values["compacted"] = tuple(json.loads(row.compacted))
    of_compaction = {name: getattr(row, name) for name in _OF_COMPACTION}
    return PastRound(compaction=row.compaction, session=row.key, round=Round(**values), **of_compaction)
