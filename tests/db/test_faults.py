"""What can be wrong with a database has words that say what to do, and leaves everything as it was."""

from __future__ import annotations

import sqlite3
import subprocess
import threading

import psycopg
import pytest
import sqlalchemy as sa

from compactor_cli.db import database as databases
from compactor_cli.db.database import open_database, open_existing
from compactor_cli.db.tables import metadata, sessions
from compactor_cli.errors import StoreError, UsageError

pytestmark = pytest.mark.one_test_in(3)


@pytest.fixture
def opening():
    """Opens databases that are closed when the test is over."""
    opened = []

    def opener(url):
        opened.append(open_database(url))
        return opened[-1]

    yield opener
    for each in opened:
        each.close()


@pytest.fixture
def impatient(monkeypatch):
    """Waiting for a lock takes a moment, not seconds."""
    monkeypatch.setattr(databases, "LOCK_TIMEOUT_SECONDS", 1.0)


def add_session(database, key):
    with database.write() as connection:
        connection.execute(sessions.insert().values(key=key))


def keys(database):
    with database.read() as connection:
        return sorted(connection.execute(sa.select(sessions.c.key)).scalars())


def test_a_transaction_that_fails_leaves_nothing(database):
    add_session(database, "before")
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        connection.execute(sessions.insert().values(key="half"))
        _ = 1 / 0
    assert keys(database) == ["before"]


def test_a_database_that_is_locked(url, impatient, opening):
    opened, other = opening(url), opening(url)
    held, done = threading.Event(), threading.Event()

    def hold():
        with opened.write() as connection:
            if opened.is_sqlite:
                connection.execute(sessions.insert().values(key="holder"))
            else:
                connection.execute(sa.text("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE"))
            held.set()
            done.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(30)
    try:
        with pytest.raises(StoreError, match="another process has been writing to it for too long; try again"):
            add_session(other, "waiting")
    finally:
        done.set()
        holder.join()
    add_session(opened, "later")
    assert "waiting" not in keys(opened)


def test_reading_needs_no_lock(tmp_path, opening, impatient):
    url = str(tmp_path / "store.sqlite3")
    writing = opening(url)
    add_session(writing, "before")
    with writing.write() as connection:
        connection.execute(sessions.insert().values(key="not yet"))
        reading = open_existing(url)
        assert reading is not None
        assert keys(reading) == ["before"]
        reading.close()


def test_a_file_that_is_no_database(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("These are my notes, and no database at all.\n" * 100)
    with pytest.raises(
        StoreError, match=r"notes\.txt: the file is not an SQLite database; name another one with --database"
    ):
        open_database(str(file))
    assert file.read_text().startswith("These are my notes")


def test_a_database_that_is_damaged(tmp_path, opening):
    file = tmp_path / "store.sqlite3"
    opened = open_database(str(file))
    for number in range(500):
        add_session(opened, f"{number}" * 50)
    opened.close()
    data = bytearray(file.read_bytes())
    for at in range(4096, len(data), 4096):
        data[at : at + 512] = b"\xff" * 512
    file.write_bytes(data)
    with pytest.raises(StoreError, match=r"store\.sqlite3: the file is damaged; restore a copy of it"):
        keys(opening(str(file)))


def test_a_disk_that_is_full(tmp_path, opening):
    opened = opening(str(tmp_path / "store.sqlite3"))
    add_session(opened, "before")
    with (
        pytest.raises(StoreError, match="the disk is full; free some space and run again"),
        opened.write() as connection,
    ):
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
        for number in range(2_000):
            connection.execute(sessions.insert().values(key=f"{number}" * 100))
    opened.close()
    assert keys(opening(str(tmp_path / "store.sqlite3"))) == ["before"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"cannot be written: .*; name another database"):
        open_database(str(tmp_path / "file" / "store.sqlite3"))


def test_a_folder_instead_of_a_file(tmp_path):
    with pytest.raises(StoreError, match="cannot be written: Is a directory"):
        open_database(str(tmp_path))


def test_a_server_that_is_not_there(impatient):
    for look in (open_database, open_existing):
        with pytest.raises(
            StoreError, match="no server answers at this address; start it, or name another database"
        ) as caught:
            look("postgresql://me:secret@127.0.0.1:1/name")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("option", ["password=secret", "sslpassword=secret"])
def test_passwords_among_the_options_of_an_address_are_not_shown(impatient, option):
    with pytest.raises(StoreError) as caught:
        open_database(f"postgresql://me@127.0.0.1:1/name?{option}&application_name=mine")
    assert "secret" not in str(caught.value)
    assert "application_name=mine" in str(caught.value)


def test_an_option_that_the_driver_does_not_know(postgresql):
    with pytest.raises(StoreError, match="the address has an option that the driver does not know; check it"):
        open_database(postgresql.fresh() + "&colour=blue")


def test_a_table_of_another_program_is_in_the_way(url, opening):
    opened = opening(url)
    with opened.write() as connection:
        for name in reversed(metadata.sorted_tables):
            if name.name not in ("sessions", "memory_vectors"):
                connection.execute(sa.text(f"DROP TABLE {name.name}" + ("" if opened.is_sqlite else " CASCADE")))
        connection.execute(sa.text("DELETE FROM compactor_schema"))
    with pytest.raises(
        StoreError, match="a table of another program has this name; use a separate database for compactor"
    ):
        open_database(url)


def test_a_database_that_the_server_does_not_have(postgresql):
    url = postgresql.fresh()
    postgresql.drop(url)
    with pytest.raises(StoreError, match="the server has no such database; create it"):
        open_database(url)


def test_a_connection_that_is_lost(postgresql, opening):
    url = postgresql.fresh()
    opened = opening(url)
    add_session(opened, "before")
    words = "the connection to the server was lost, and unfinished changes were not stored"
    with pytest.raises(StoreError, match=words), opened.write() as connection:
        connection.execute(sessions.insert().values(key="half"))
        with postgresql.admin() as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        connection.execute(sessions.insert().values(key="other half"))
    assert keys(opened) == ["before"]


def test_a_user_who_may_not(postgresql, opening):
    url = postgresql.fresh()
    open_database(url).close()
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("CREATE ROLE reader LOGIN")
    parts = psycopg.conninfo.conninfo_to_dict(url)
    reader = f"postgresql://reader@/{parts['dbname']}?host={parts['host']}"
    try:
        with pytest.raises(StoreError, match="the user lacks the permission"):
            add_session(opening(reader), "mine")
    finally:
        postgresql.drop(url)
        with postgresql.admin() as admin:
            admin.execute("DROP ROLE reader")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://host/name", "'mysql' are not supported; use PostgreSQL or SQLite"),
        ("sqlite://", "names no SQLite file"),
        ("sqlite:///:memory:", "names no SQLite file"),
        ("postgresql://host:port/name", "cannot be parsed"),
        ("postgresql:me:secret@host/name", "neither a path nor an address; write postgresql://"),
        ("host=127.0.0.1 user=me password=secret", "neither a path nor an address; write postgresql://"),
        ("~nobody-of-this-name/store.sqlite3", "the user does not exist"),
    ],
)
def test_addresses_that_cannot_be_used(url, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=words) as caught:
        open_database(url)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "sqlite+pysqlite:///{}"])
def test_a_file_can_be_named_in_three_ways(tmp_path, form):
    file = tmp_path / "a b%20c.sqlite3"
    opened = open_database(form.format(file))
    add_session(opened, "x")
    opened.close()
    with sqlite3.connect(file) as plain:
        assert plain.execute("SELECT key FROM sessions").fetchall() == [("x",)]


def test_only_its_owner_can_read_the_file(tmp_path):
    open_database(str(tmp_path / "folder" / "store.sqlite3")).close()
    listed = subprocess.run(
        ["stat", "-c", "%a %n", tmp_path / "folder", tmp_path / "folder" / "store.sqlite3"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["700", "600"]
