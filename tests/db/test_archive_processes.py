"""Several processes that change the archive at the same time."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from compactor_cli.archive.stored import archive
from compactor_cli.archive.stored.rounds import history
from tests.builders import ROOT
from tests.db.keeper import compaction
from tests.db.sessions import noise, plain_compaction, restore_bytes
from tests.drawing import loop_step

NUMBER = 50 // loop_step(3)


def keepers(url, *names):
    command = [sys.executable, "-m", "tests.db.keeper", url]
    return [
        subprocess.Popen(
            [*command, name, str(NUMBER)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for name in names
    ]


def test_two_processes_that_keep_at_once_lose_nothing(database, url):
    for process in keepers(url, "one", "two"):
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
    _check(database, "one", "two")
    with database.read() as connection:
        size = archive.archive_size(connection)
    assert (size.compactions, size.kept) == (2 * NUMBER, 2 * NUMBER)
    expected = {piece for name in ("one", "two") for n in range(NUMBER) for piece in compaction(name, n).pieces}
    assert size.pieces == len(expected)


def test_pieces_that_a_purge_takes_away_meanwhile_are_not_missed(database, url):
    """Both count on the same pieces: whoever comes second must see what the first did.

    As many rounds as the other has, from when it begins: one that never ends can keep the other from a file for longer
    than it waits.
    """
    (process,) = keepers(url, "one")
    assert process.stdout.readline() == "begins\n"
    for number in range(NUMBER):
        kept = plain_compaction(noise(5_000, number) + b"more", b"out", session="mine").keep(database)
        with database.write() as connection:
            assert archive.purge(connection, [kept]).compactions == 1
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    _check(database, "one")


def test_a_purge_waits_for_a_compaction_that_counts_on_the_same_pieces(database):
    shared = noise(5_000, 1)
    old = plain_compaction(shared + b"old", b"a", session="old").keep(database)
    new = plain_compaction(shared + b"new", b"b", session="new")

    def purge():
        with database.write() as connection:
            return archive.purge(connection, [old])

    with ThreadPoolExecutor(1) as pool:
        with database.write() as connection:
            kept = archive.keep(connection, new.manifest, new.pieces, 1.0)
            purging = pool.submit(purge)
            while not database.is_sqlite and not _somebody_waits(database):
                pass
        assert purging.result().compactions == 1
    assert restore_bytes(database, kept) == new.data


def _somebody_waits(database):
    with database.read() as connection:
        return connection.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one()


def _check(database, *names):
    for name in names:
        for number in range(NUMBER):
            done = compaction(name, number)
            with database.read() as connection:
                (past,) = history(connection, [f"id:openai-chat:{name}-{number}"])
            assert past.round.summary == name
            assert restore_bytes(database, past.compaction) == done.data
