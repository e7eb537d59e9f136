"""Killed at any step, `compact` leaves the old transcript or the new one, and a database that has its original."""

from __future__ import annotations

import hashlib
import os
import signal
from itertools import count

import pytest

from compactor_cli.archive.stored import archive, rounds
from compactor_cli.db.database import open_existing
from compactor_cli.model.content import read_all
from tests.db.warm import KILL_AT
from tests.drawing import loop_step

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="steps are counted in processes that are forked")
ARGUMENTS = ("--target-ratio", "0.3", "--in-place", "--archive", "--quiet")


def check(url, path, original, small):
    """The transcript is one of both, and what the database has is whole."""
    data = path.read_bytes()
    assert data in (original, small)
    opened = open_existing(url)
    if opened is None:
        assert data == original
        return
    try:
        with opened.write() as connection:
            if opened.is_sqlite:
                assert connection.exec_driver_sql("PRAGMA integrity_check").scalars().all() == ["ok"]
                assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            for one in archive.newest_compactions(connection):
                back = archive.restore(connection, one.id, 0.0)
                assert hashlib.sha256(read_all(back)).hexdigest() == one.input.sha256
                assert len(rounds.rounds_of(connection, one.id)) == 1
                assert archive.manifest(connection, one.id).removed
            if data == small:
                found = archive.find_compaction(connection, small)
                assert found is not None
                assert found.match == "output"
    finally:
        opened.close()


def test_killed_at_every_step(command, url, session):
    original = session.read_bytes()
    assert command("compact", session, *ARGUMENTS).code == 0
    small = session.read_bytes()
    assert small != original
    outcomes = []
    for at in count(1, loop_step(11)):
        session.write_bytes(original)
        killed = command("compact", session, *ARGUMENTS, **{KILL_AT: str(at)})
        check(url, session, original, small)
        if killed.code == 0:
            break
        assert killed.code == -signal.SIGKILL
        outcomes.append(session.read_bytes())
    # both came out, and never the old one after the new one
    assert len(outcomes) > 20 // loop_step(11)
    assert sorted(outcomes, key=[original, small].index) == outcomes
    assert set(outcomes) == {original, small}
    session.write_bytes(original)
    assert command("compact", session, *ARGUMENTS).code == 0
    assert command("restore", session).stdout == original


def test_killed_while_the_database_is_made(command, url, session, tmp_path, fresh_url):
    original = session.read_bytes()
    assert command("compact", session, *ARGUMENTS, **{KILL_AT: "0"}).code == 0
    steps = int((tmp_path / "steps").read_text())
    small = session.read_bytes()
    for at in range(1, steps + 1, 7 * loop_step(11)):
        session.write_bytes(original)
        new = fresh_url()
        killed = command("compact", session, *ARGUMENTS, "--database", new, **{KILL_AT: str(at)})
        assert killed.code == -signal.SIGKILL
        check(new, session, original, small)
        assert command("compact", session, *ARGUMENTS, "--database", new).code == 0
        assert command("restore", session, "--database", new).stdout == original
