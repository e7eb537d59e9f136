"""`restore` of files that were packed, unpacked or compacted again since, as processes, on both databases."""

from __future__ import annotations

import gzip

import pytest


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
        assert f"--compaction {number} -o OTHER brings back" in done.stderr
    assert command("restore", "--compaction", number, "-o", "back.jsonl").code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == original
