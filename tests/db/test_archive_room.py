"""Making room in the archive, removing sessions from it, and that removed text is gone from the files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from compactor_cli.archive.stored import archive
from compactor_cli.archive.stored.archive import related
from compactor_cli.archive.stored.rounds import history
from compactor_cli.db import removal
from compactor_cli.db.database import open_database
from compactor_cli.db.removal import ARCHIVE, scrub
from compactor_cli.errors import NotKeptError, StoreError
from tests.builders import jsonl, user
from tests.db.sessions import DAY, compact_file, noise, plain_compaction, restore_bytes
from tests.pipeline.sessions import long_session

pytestmark = pytest.mark.one_test_in(2)

SIZE = 20_000
"""Bytes of a file of which nothing can be compressed."""


def evict(database, limit, now, keep_days=30):
    with database.write() as connection:
        return archive.evict(connection, limit, keep_days, now)


def purge(database, *ids):
    with database.write() as connection:
        return archive.purge(connection, ids)


def rows(database):
    with database.read() as connection:
        return {t.name: connection.execute(select(func.count()).select_from(t)).scalar_one() for t in ARCHIVE}


def kept(database):
    with database.read() as connection:
        return {one.id for one in archive.newest_compactions(connection) if one.kept}


def filled(database, number):
    return [
        plain_compaction(noise(SIZE, seed), noise(100, -seed - 1)).keep(database, at=seed * DAY)
        for seed in range(number)
    ]


def test_nothing_goes_while_there_is_room(database):
    filled(database, 3)
    gone = evict(database, 4 * SIZE, now=1_000 * DAY)
    assert (gone.compactions, gone.bytes, gone.over) == (0, 0, False)


def test_the_least_recently_used_go_until_there_is_room(database):
    ids = filled(database, 5)
    restore_bytes(database, ids[0], at=900 * DAY)
    gone = evict(database, int(3.5 * SIZE), now=1_000 * DAY)
    assert (gone.compactions, gone.over) == (2, False)
    assert 2 * SIZE <= gone.bytes < 2.1 * SIZE
    assert kept(database) == {ids[0], ids[3], ids[4]}
    assert rows(database)["objects"] == 3 * SIZE / 1_000
    with pytest.raises(NotKeptError) as refused:
        restore_bytes(database, ids[1])
    assert str(refused.value) == (
        f"the original of compaction {ids[1]} is no longer in the archive: it was removed to stay within "
        "archive.limit_mb; raise that to keep more"
    )
    with database.read() as connection:
        past = history(connection, ids=ids)
    assert [one.kept for one in past] == [True, False, False, True, True]


def test_what_is_too_new_to_go_stays_and_that_is_said(database):
    ids = filled(database, 4)
    gone = evict(database, SIZE, now=12 * DAY, keep_days=10)  # the third is ten days old
    assert (gone.compactions, gone.over) == (2, True)
    assert kept(database) == set(ids[2:])


def test_pieces_that_a_kept_compaction_has_stay(database):
    shared = noise(SIZE, 1)
    old = plain_compaction(shared + noise(SIZE, 2), b"a").keep(database, at=0)
    new = plain_compaction(shared + noise(SIZE, 3), b"b").keep(database, at=90 * DAY)
    evict(database, 0, now=100 * DAY)
    assert kept(database) == {new}
    assert rows(database)["objects"] == 2 * SIZE / 1_000
    with pytest.raises(NotKeptError):
        restore_bytes(database, old)
    assert restore_bytes(database, new) == shared + noise(SIZE, 3)


def test_what_would_make_no_room_stays(database):
    data = noise(SIZE, 1)
    old = plain_compaction(data, b"a").keep(database, at=0)
    new = plain_compaction(data, b"b").keep(database, at=90 * DAY)
    gone = evict(database, 0, now=100 * DAY)
    assert (gone.compactions, gone.bytes, gone.over) == (0, 0, True)
    assert kept(database) == {old, new}


def test_what_went_can_be_had_back_from_another_compaction_of_the_same_file(database):
    data = noise(SIZE, 1)
    old = plain_compaction(data, b"a").keep(database, at=0)
    assert evict(database, 0, now=100 * DAY).compactions == 1
    plain_compaction(data, b"b").keep(database, at=100 * DAY)
    assert old not in kept(database)
    assert restore_bytes(database, old) == data


def test_old_ones_that_share_everything_go_together(database):
    data = noise(SIZE, 1)
    for output in (b"a", b"b"):
        plain_compaction(data, output).keep(database, at=0)
    gone = evict(database, 0, now=100 * DAY)
    assert (gone.compactions, gone.over) == (2, False)
    assert rows(database)["objects"] == 0


def test_files_that_could_not_be_written_anew_are_not_said_to_be(database):
    if database.is_sqlite:
        pytest.skip("SQLite has no users")
    going = plain_compaction(b"abc" * 100, b"out", summary=SUMMARY).keep(database)
    names = ", ".join(table.name for table in ARCHIVE)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as admin:
        admin.execute(text("CREATE ROLE worker LOGIN"))
        admin.execute(text(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {names}, compactor_schema TO worker"))
    address = database.engine.url.set(username="worker").render_as_string()
    other = open_database(address.replace("postgresql+psycopg://", "postgresql://"))
    try:
        purge(other, going)
        with pytest.raises(StoreError, match=r"may not rewrite the tables' files.* have their owner run VACUUM FULL"):
            scrub(other, ARCHIVE)
    finally:
        other.close()
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as admin:
            admin.execute(text("DROP OWNED BY worker"))
            admin.execute(text("DROP ROLE worker"))
    scrub(database, ARCHIVE)
    assert occurrences(database, SUMMARY.encode()) == [0]


def test_purging_one_round_removes_the_whole_session_and_no_other(database):
    records = long_session(60)
    first = compact_file(jsonl(*records[:60]), target_ratio=0.5)
    second = compact_file(first.output + jsonl(*records[60:]), target_ratio=0.5)
    other = compact_file(jsonl(user("Something else."), *long_session(50, words=40)), target_ratio=0.5)
    ids = [first.keep(database), second.keep(database)]
    stays = other.keep(database)
    with database.read() as connection:
        assert sorted(related(connection, ids[:1])) == sorted(related(connection, ids[1:])) == ids
    gone = purge(database, ids[0])
    assert gone.compactions == 2
    assert gone.bytes > 0
    assert restore_bytes(database, stays) == other.data
    with database.read() as connection:
        assert [one.id for one in archive.newest_compactions(connection)] == [stays]
        assert history(connection, ids=ids) == []
    assert rows(database)["sessions"] == 1
    purge(database, stays)
    assert set(rows(database).values()) == {0}


def test_purging_goes_by_session_id_as_well_and_leaves_shared_pieces(database):
    shared = noise(5_000, 1)
    ids = [plain_compaction(shared + noise(900, n), noise(50, 9 + n), session="one").keep(database) for n in range(2)]
    stays = plain_compaction(shared + noise(900, 5), b"x", session="two").keep(database)
    assert purge(database, ids[0]).compactions == 2
    assert restore_bytes(database, stays) == shared + noise(900, 5)
    assert rows(database)["objects"] == 6


def test_purging_what_is_not_there_removes_nothing(database):
    plain_compaction(b"abc", b"a").keep(database)
    assert purge(database, 99).compactions == 0
    assert rows(database)["compactions"] == 1


SUMMARY = "The secret of the summary is zanzibar-71"
PLAIN = "marker-" + noise(24, 4).hex()


def files_of(database):
    """The bytes of all files in which the database keeps its tables, after it has written them."""
    if database.is_sqlite:
        return {path: path.read_bytes() for path in database.file.parent.rglob("*") if path.is_file()}
    with database.engine.connect() as connection:
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        alone.execute(text("CHECKPOINT"))
        folder = alone.execute(text("SHOW data_directory")).scalar_one()
        number = alone.execute(text("SELECT oid FROM pg_database WHERE datname = current_database()")).scalar_one()
    found = {}
    for name in os.scandir(Path(folder) / "base" / str(number)):
        found[name.path] = Path(name.path).read_bytes()
    return found


def occurrences(database, *wanted):
    contents = files_of(database).values()
    return [sum(content.count(one) for content in contents) for one in wanted]


def test_purged_text_is_gone_from_the_files(database):
    secret = noise(30_000, 7)
    # zlib stores what it cannot compress as it is
    wanted = (SUMMARY.encode(), secret[:200], secret[1_000:1_200], b"session-" + PLAIN.encode())
    done = plain_compaction(secret, b"out", session=f"session-{PLAIN}", summary=SUMMARY)
    going = done.keep(database)
    stays = plain_compaction(noise(30_000, 8), b"other", session="other", summary="What stays.").keep(database)
    assert min(occurrences(database, *wanted)) > 0
    purge(database, going)
    scrub(database, ARCHIVE)
    assert occurrences(database, *wanted) == [0, 0, 0, 0]
    assert occurrences(database, b"What stays.") != [0]
    assert restore_bytes(database, stays) == noise(30_000, 8)
    if database.is_sqlite:
        assert set(files_of(database)) == {database.file}


def test_scrubbing_needs_no_tables_to_be_named_and_nothing_to_have_been_deleted(database):
    done = plain_compaction(noise(3_000, 1), b"a")
    kept = done.keep(database)
    scrub(database)
    assert restore_bytes(database, kept) == done.data


def test_text_that_another_transaction_still_sees_is_not_said_to_be_gone(database, monkeypatch):
    if database.is_sqlite:
        pytest.skip("a reader of SQLite's file lets nobody rewrite it")
    monkeypatch.setattr(removal, "LOCK_TIMEOUT_SECONDS", 0.2)
    going = plain_compaction(b"abc" * 100, b"out", summary=SUMMARY).keep(database)
    with database.engine.connect().execution_options(isolation_level="REPEATABLE READ") as backup:
        backup.execute(text("SELECT count(*) FROM rounds"))
        purge(database, going)
        said = r"the server's files still contain the data; when it has finished, run VACUUM FULL"
        with pytest.raises(StoreError, match=said):
            scrub(database, ARCHIVE)
    scrub(database, ARCHIVE)
    assert occurrences(database, SUMMARY.encode()) == [0]
