"""When the database cannot be used, `compact --archive` writes nothing; without --archive it does not matter."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import subprocess
import sys
import threading

import pytest
import sqlalchemy as sa

from compactor_cli.db.database import open_database
from compactor_cli.db.tables import sessions
from tests.builders import clean_environment, jsonl, user
from tests.builders import program_command as command_line
from tests.db.warm import APPENDS

pytestmark = pytest.mark.one_test_in(3)

REPLACED = ("--target-ratio", "0.3", "--in-place")
NOWHERE = "postgresql://me:secret@127.0.0.1:1/name"


@pytest.fixture(params=["a server that is not there", "a file in the way", "no database"])
def unusable(request, tmp_path):
    if request.param == "a server that is not there":
        return NOWHERE
    (tmp_path / "file").write_text("in the way\n" * 100)
    return str(tmp_path / "file" / "store.sqlite3") if request.param == "a file in the way" else str(tmp_path / "file")


def test_nothing_is_written_when_the_original_cannot_be_kept(forking, session, unusable, tmp_path):
    original = session.read_bytes()
    done = forking.run("compact", session, *REPLACED, "--archive", "--database", unusable, cwd=tmp_path)
    assert done.code == 6
    assert done.stderr.count("error: ") == 1
    assert "secret" not in done.stderr
    assert session.read_bytes() == original
    done = forking.run("compact", session, *REPLACED[:2], "--archive", "--database", unusable, cwd=tmp_path)
    assert (done.code, done.stdout) == (6, b"")


def test_without_asking_for_it_the_database_does_not_matter(run, session, unusable):
    original = session.read_bytes()
    done = run("compact", session, *REPLACED, COMPACTOR_DATABASE_URL=unusable)
    assert (done.code, done.stderr.count("warning")) == (0, 0)
    assert session.read_bytes() != original


def test_compacting_without_asking_for_it_loads_nothing_of_it(session):
    code = (
        "import sys\nfrom compactor_cli.cli.app import app\n"
        f"sys.argv = ['compactor', 'compact', {str(session)!r}, '--target-ratio', '0.3', '-o', 'x.jsonl', '-q']\n"
        "try:\n    app()\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "print(*[name for name in ('sqlalchemy', 'alembic', 'psycopg', 'compactor_cli.db.database')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env=clean_environment(),
        cwd=session.parent,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == []


def test_inspect_goes_on_without_the_history(run, session, unusable):
    done = run("inspect", session, COMPACTOR_DATABASE_URL=unusable)
    assert done.code == 0
    found = unusable == NOWHERE or not unusable.endswith("store.sqlite3")  # in the other case there is none
    assert ("warning: without the history of the session: " in done.stderr) is found
    assert "Rounds" not in done.text


def test_looking_makes_no_database(run, session, tmp_path):
    places = {"XDG_DATA_HOME": str(tmp_path / "data")}
    for code, *arguments in ((0, "inspect", session), (1, "restore", session), (0, "config"), (0, "config", "path")):
        assert run(*arguments, **places).code == code
    assert run("compact", session, *REPLACED, **places).code == 0
    assert not (tmp_path / "data").exists()
    assert run("compact", session, "--target-tokens", "900", "--archive", "-o", "x.jsonl", **places).code == 0
    assert (tmp_path / "data" / "compactor" / "compactor.sqlite3").is_file()


def test_a_locked_database(forking, session, url, tmp_path):
    opened, held, done = open_database(url), threading.Event(), threading.Event()
    original = session.read_bytes()

    def hold():
        with opened.write() as connection:
            connection.execute(sessions.insert().values(key="holder"))
            if not opened.is_sqlite:
                connection.execute(sa.text("LOCK TABLE compactions, sessions IN ACCESS EXCLUSIVE MODE"))
            held.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(30)
    try:
        locked = forking.run("compact", session, *REPLACED, "--archive", "--database", url, cwd=tmp_path)
    finally:
        done.set()
        holder.join()
        opened.close()
    assert locked.code == 6
    assert "another process has been writing to it for too long; try again" in locked.stderr
    assert session.read_bytes() == original
    assert forking.run("compact", session, *REPLACED, "--archive", "--database", url, cwd=tmp_path).code == 0
    assert forking.run("restore", session, "--database", url, cwd=tmp_path).stdout == original


def test_no_room_for_the_database(session, tmp_path):
    """A limit on the size of files stands for a disk that takes no more."""
    noise = [hashlib.sha512(bytes([at // 256, at % 256])).hexdigest() for at in range(4_000)]
    session.write_bytes(jsonl(*(user(" ".join(noise[at : at + 40])) for at in range(0, 4_000, 40))))
    url, original = tmp_path / "store.sqlite3", session.read_bytes()
    open_database(str(url)).close()
    room = url.stat().st_size

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    arguments = command_line("compact", session, *REPLACED, "--archive", "--database", url)
    done = subprocess.run(
        arguments, capture_output=True, env=clean_environment(), preexec_fn=limit, check=False, timeout=60
    )
    words = done.stderr.decode()
    assert done.returncode == 6, words
    assert "the disk" in words
    assert session.read_bytes() == original
    opened = open_database(str(url))
    with opened.read() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM compactions").scalar() == 0
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    opened.close()


@contextlib.contextmanager
def mounted(folder, options):
    """A small disk of its own in a folder; skips where this user may not mount."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this user may not mount a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
@pytest.mark.parametrize("size", ["132k", "160k", "200k"])
def test_a_disk_that_is_full(forking, session, tmp_path, size):
    original = session.read_bytes()
    with mounted(tmp_path / "disk", f"size={size}") as disk:
        url = disk / "store.sqlite3"
        done = forking.run("compact", session, *REPLACED, "--archive", "--database", url, cwd=tmp_path)
        if done.code:
            assert done.code == 6
            assert "the disk is full; free some space and run again" in done.stderr
            assert session.read_bytes() == original
        else:
            assert forking.run("restore", session, "--database", url, cwd=tmp_path).stdout == original


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_a_disk_that_is_full_for_the_transcript(forking, session, url, tmp_path):
    with mounted(tmp_path / "disk", "size=48k") as disk:
        path = disk / "session.jsonl"
        path.write_bytes(session.read_bytes())
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 512)
        before = path.read_bytes()
        done = forking.run("compact", path, *REPLACED, "--archive", "--database", url, cwd=tmp_path)
        assert done.code == 2
        assert "cannot be written: No space left on device" in done.stderr
        assert path.read_bytes() == before
        assert sorted(os.listdir(disk)) == ["filler", "session.jsonl"]  # noqa: PTH208


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_a_folder_that_is_read_only(forking, session, tmp_path):
    original = session.read_bytes()
    with mounted(tmp_path / "disk", "size=2m") as disk:
        url = disk / "store.sqlite3"
        forking.run(
            "compact", session, "--target-ratio", "0.3", "--archive", "-o", "s.jsonl", "--database", url, cwd=tmp_path
        )
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for place in (url, disk / "other" / "store.sqlite3"):
            done = forking.run("compact", session, *REPLACED, "--archive", "--database", place, cwd=tmp_path)
            assert done.code == 6
            assert "cannot be written: Read-only file system; name another database with --database" in done.stderr
            assert session.read_bytes() == original
        # what is there can still be had back
        assert forking.run("restore", "s.jsonl", "--database", url, cwd=tmp_path).stdout == original
        assert forking.run("restore", "s.jsonl", "--list", "--database", url, cwd=tmp_path).code == 0


def test_the_list_says_which_outputs_never_took_their_place(command, session):
    arguments = ("compact", session, "--target-ratio", "0.3", "--in-place", "--archive")
    original = session.read_bytes()
    assert command(*arguments, **{APPENDS: str(session)}).code == 3
    session.write_bytes(original)
    assert "kept, output not confirmed" in command("restore", "--list", COLUMNS="300").text
    assert command(*arguments).code == 0
    listed = command("restore", "--list", COLUMNS="300").text
    assert (listed.count(" kept"), listed.count("not confirmed")) == (2, 1)
    assert "not confirmed" not in command("restore", session, "--list", COLUMNS="300").text


def test_a_database_that_is_not_there_is_named(command, session, tmp_path):
    original, small = session.read_bytes(), tmp_path / "small.jsonl"
    assert command("compact", session, "--target-ratio", "0.3", "--archive", "-o", small).code == 0
    for words in (["restore", small], ["restore", "--list"], ["restore", "--search", "x"]):
        done = command(*words, "--database", "moved/db.sqlite3")
        assert done.code == 1
        assert "the database moved/db.sqlite3 does not exist; name another one with --database" in done.stderr
        assert "does not exist; name another one with --database" not in command(*words).stderr
    (tmp_path / "small.jsonl.manifest.json").write_text("{}")
    assert "the database moved" in command("restore", small, "--database", "moved/db.sqlite3").stderr
    assert not (tmp_path / "moved").exists()
    assert command("restore", small).stdout == original
