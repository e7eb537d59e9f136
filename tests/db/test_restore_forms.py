"""`restore` of files that were packed, unpacked or compacted again since, as processes, on both databases."""

from __future__ import annotations

import gzip
import os
import time

import pytest

from compactor_cli.archive.stored import archive
from tests.builders import assistant, jsonl, plain_exchanges, user
from tests.containers.test_containers import log
from tests.db.sessions import DAY


@pytest.fixture
def kept(command, session):
    """Return a function that compacts the session with the archive, to a name."""

    def compacted(name):
        done = command("compact", session, "--target-ratio", "0.3", "--archive", "-o", name)
        assert done.code == 0, done.stderr

    return compacted


def test_what_comes_back_is_packed_where_its_name_says_so(command, session, kept, tmp_path):
    kept("small.jsonl")
    assert command("restore", "small.jsonl", "-o", "back.jsonl.gz").code == 0
    assert gzip.decompress((tmp_path / "back.jsonl.gz").read_bytes()) == session.read_bytes()


def test_a_packed_original_comes_back_as_the_name_of_the_output_says(command, session, tmp_path):
    packed = gzip.compress(session.read_bytes(), 1, mtime=12345)
    (tmp_path / "packed.gz").write_bytes(packed)
    assert command("compact", "packed.gz", "--target-ratio", "0.3", "--archive", "-o", "small.jsonl").code == 0
    assert command("restore", "small.jsonl", "-o", "back.jsonl").code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == session.read_bytes()
    assert command("restore", "small.jsonl", "-o", "back.gz").code == 0
    assert (tmp_path / "back.gz").read_bytes() == packed
    assert command("restore", "small.jsonl").stdout == packed
    assert command("restore", "small.jsonl", "--in-place").code == 0
    assert (tmp_path / "small.jsonl").read_bytes() == session.read_bytes()


def test_a_packed_original_keeps_its_bytes_where_no_name_says_otherwise_and_the_message_tells(
    command, session, tmp_path
):
    packed = gzip.compress(session.read_bytes(), 1, mtime=12345)
    (tmp_path / "packed.gz").write_bytes(packed)
    assert command("compact", "packed.gz", "--target-ratio", "0.3", "--archive", "-o", "small.jsonl.gz").code == 0
    done = command("restore", "small.jsonl.gz", "-o", "back")
    assert (tmp_path / "back").read_bytes() == packed
    assert f"{len(packed):,} bytes, as before" in done.stderr
    os.mkfifo(tmp_path / "pipe.jsonl")
    end = os.open(tmp_path / "pipe.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    assert command("restore", "small.jsonl.gz", "-o", "pipe.jsonl").code == 0
    assert os.read(end, len(packed) + 1) == packed
    os.close(end)
    done = command("restore", "small.jsonl.gz", "-o", "back.jsonl")
    assert f"{len(session.read_bytes()):,} bytes, unpacked, as before" in done.stderr
    assert "bytes, packed as xz, as before" in command("restore", "small.jsonl.gz", "-o", "back.xz").stderr


def test_a_log_of_several_conversations_comes_back_as_it_was_whatever_its_place_is_called(command, tmp_path):
    data = log({"id": 1, "messages": list(plain_exchanges(15))})
    (tmp_path / "log.eval").write_bytes(data)
    done = command("compact", "log.eval", "--target-ratio", "0.3", "--archive", "-o", "small.eval")
    assert done.code == 0, done.stderr
    for place in ("back.jsonl", "back.gz"):
        assert command("restore", "small.eval", "-o", place).code == 0
        assert (tmp_path / place).read_bytes() == data


def test_what_was_appended_to_an_unpacked_output_stands_behind_the_unpacked_original(command, session, tmp_path):
    (tmp_path / "packed.gz").write_bytes(gzip.compress(session.read_bytes()))
    assert command("compact", "packed.gz", "--target-ratio", "0.3", "--archive", "-o", "small.jsonl").code == 0
    added = jsonl(user("And one more thing."))
    with (tmp_path / "small.jsonl").open("ab") as file:
        file.write(added)
    assert command("restore", "small.jsonl", "-o", "back").code == 0
    assert (tmp_path / "back").read_bytes() == session.read_bytes() + added


def test_an_output_that_was_packed_since_is_known(command, session, kept, tmp_path):
    kept("small.jsonl")
    small = tmp_path / "small.jsonl"
    (tmp_path / "small.jsonl.gz").write_bytes(gzip.compress(small.read_bytes(), 3))
    small.unlink()
    assert command("restore", "small.jsonl.gz", "-o", "back.jsonl").code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == session.read_bytes()
    assert command("restore", "small.jsonl.gz", "--in-place").code == 0
    assert gzip.decompress((tmp_path / "small.jsonl.gz").read_bytes()) == session.read_bytes()


def test_an_output_that_was_unpacked_since_is_known(command, session, kept, tmp_path):
    kept("small.jsonl.gz")
    (tmp_path / "plain.jsonl").write_bytes(gzip.decompress((tmp_path / "small.jsonl.gz").read_bytes()))
    assert command("restore", "plain.jsonl", "-o", "back.jsonl").code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == session.read_bytes()


def test_after_a_round_without_the_archive_the_compaction_of_the_path_is_named(command, session, tmp_path):
    original = session.read_bytes()
    assert command("compact", session, "--target-ratio", "0.4", "--in-place", "--archive").code == 0
    assert command("compact", session, "--target-tokens", "300", "--in-place", "--strategy", "truncate").code == 0
    (number,) = {each["compaction"] for each in command("restore", "--list", "--json").json["rounds"]}
    for asked in ((), ("--list",)):
        done = command("restore", session, *asked)
        assert done.code == 1
        assert f"--compaction {number} -o OTHER restores its input" in done.stderr
    assert command("restore", "--compaction", number, "-o", "back.jsonl").code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == original


def test_of_several_compactions_of_a_path_those_are_named_that_are_still_kept(command, session, database):
    whole = session.read_bytes()
    for number in range(7):
        session.write_bytes(whole + jsonl(user(f"Request {number} is another one.")))
        assert command("compact", session, "--target-ratio", "0.4", "--in-place", "--archive").code == 0
    session.write_bytes(jsonl(user("Hello."), assistant("Hi.")))
    with database.read() as connection:
        ids = [each.id for each in archive.newest_compactions(connection)]
    numbers = ", ".join(map(str, ids[:5]))
    done = command("restore", session)
    assert done.code == 1
    assert f"compactions {numbers} and 2 more are archived: restore --list" in done.stderr
    assert f"--compaction {ids[0]} -o OTHER restores its input" in done.stderr
    with database.write() as connection:
        archive.evict(connection, 0, 0, time.time() + DAY)
    done = command("restore", session)
    assert (done.code, "--compaction" in done.stderr) == (1, False)


def test_behind_a_round_that_changed_nothing_the_one_before_comes_back_with_what_came_since(command, session):
    """That round's own input is the compacted file itself: to bring that back would restore nothing."""
    original = session.read_bytes()
    assert command("compact", session, "--target-ratio", "0.3", "--in-place", "--archive").code == 0
    more = jsonl(*plain_exchanges(1, start=90))
    session.write_bytes(session.read_bytes() + more)
    again = command("compact", session, "--target-tokens", "100000", "--in-place", "--archive")
    assert "unchanged" in again.stderr
    done = command("restore", session, "--in-place")
    assert done.code == 0, done.stderr
    assert session.read_bytes() == original + more
    assert f"{len(more):,} bytes that were appended after the compaction" in done.stderr


def test_a_last_line_that_is_cut_off_stays_where_nothing_else_has_to_change(command, session):
    """An agent may be writing it. Where there is something to compact, it is left out and told, as ever."""
    half = session.read_bytes() + b'{"role":"user","content":"half wr'
    session.write_bytes(half)
    done = command("compact", session, "--target-tokens", "100000", "--in-place")
    assert (done.code, session.read_bytes()) == (0, half)
    assert "the truncated last line stays" in done.stderr
    assert command("compact", session, "--target-ratio", "0.3", "--in-place").code == 0
    assert b"half wr" not in session.read_bytes()
