"""Outputs are never more readable than their inputs; a file that is replaced keeps what is its own."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.builders import clean_environment, jsonl, plain_exchanges, program_command

HALF = ("--target-ratio", "0.5", "--tokenizer", "chars")
CHAT = jsonl(*plain_exchanges(15))

pytestmark = [pytest.mark.one_test_in(3), pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")]


@pytest.fixture
def chat(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(CHAT)
    file.chmod(0o600)
    return file


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(file):
    return stat.S_IMODE(file.stat().st_mode)


@pytest.mark.drawn(3)
@pytest.mark.parametrize(
    ("given", "mask", "expected"), [(0o600, 0o022, 0o600), (0o640, 0, 0o640), (0o644, 0o077, 0o600)]
)
def test_every_output_has_the_mode_of_its_input_at_most(run, tmp_path, chat, given, mask, expected):
    chat.chmod(given)
    with umask(mask):
        done = run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl", "--manifest", "--report", "report.json")
        assert done.code == 0
        assert run("compact", "chat.jsonl", *HALF, "--out-dir", "outs").code == 0
        assert run("assemble", "chat.jsonl", "--prompt", prompt(tmp_path), "--total", "2k", "-o", "p.jsonl").code == 0
    names = ("report.json", "outs/chat.jsonl", "p.jsonl")
    written = [*tmp_path.glob("out.jsonl*"), *(tmp_path / name for name in names)]
    assert len(written) == 5
    assert {file.name: oct(mode(file)) for file in written} == {file.name: oct(expected) for file in written}


def prompt(folder):
    (folder / "prompt.yaml").write_text("task_prompt: Go on.\n")
    return "prompt.yaml"


def test_an_output_that_was_there_becomes_no_more_readable_than_the_input(run, tmp_path, chat):
    (tmp_path / "out.jsonl").write_text("old")
    (tmp_path / "out.jsonl").chmod(0o644)
    assert run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl").code == 0
    assert mode(tmp_path / "out.jsonl") == 0o600


def test_one_report_of_several_files_is_for_those_who_may_read_all_of_them(run, tmp_path, chat):
    (tmp_path / "open.jsonl").write_bytes(CHAT)
    (tmp_path / "open.jsonl").chmod(0o644)
    with umask(0):
        assert run("compact", "open.jsonl", "chat.jsonl", *HALF, "--out-dir", "outs", "--report", "r.json").code == 0
    assert mode(tmp_path / "r.json") == 0o600
    assert mode(tmp_path / "outs" / "open.jsonl") == 0o644


def test_the_list_of_what_is_done_is_for_those_who_may_read_all_of_the_files(run, tmp_path, chat):
    (tmp_path / "open.jsonl").write_bytes(CHAT)
    (tmp_path / "open.jsonl").chmod(0o644)
    done = tmp_path / "outs" / ".compactor-done.jsonl"
    with umask(0):
        (tmp_path / "other.jsonl").hardlink_to(tmp_path / "open.jsonl")
        assert run("compact", "open.jsonl", "other.jsonl", *HALF, "--out-dir", "outs").code == 0
        assert oct(mode(done)) == oct(0o644)
        assert run("compact", "open.jsonl", "chat.jsonl", *HALF, "--out-dir", "outs", "--resume").code == 0
        assert oct(mode(done)) == oct(0o600)
        done.unlink()
        assert run("compact", "open.jsonl", "chat.jsonl", *HALF, "--out-dir", "outs").code == 0
    assert oct(mode(done)) == oct(0o600)


def test_a_file_on_standard_input_counts_as_one_that_is_named(tmp_path, chat):
    with umask(0), chat.open("rb") as stream:
        args = program_command("compact", "-", *HALF, "-o", "out.jsonl")
        subprocess.run(args, stdin=stream, cwd=tmp_path, env=clean_environment(), capture_output=True, check=True)
    assert mode(tmp_path / "out.jsonl") == 0o600


def test_restore_gives_no_more_away_than_the_file_it_is_for(run, tmp_path, chat):
    database = ("--database", f"sqlite:///{tmp_path}/a.db")
    assert run("compact", "chat.jsonl", *HALF, "--in-place", "--archive", *database).code == 0
    with umask(0):
        assert run("restore", "chat.jsonl", "-o", "back.jsonl", *database).code == 0
    assert (tmp_path / "back.jsonl").read_bytes() == CHAT
    assert mode(tmp_path / "back.jsonl") == 0o600


def test_an_export_is_no_more_readable_than_the_memory_log(run, tmp_path):
    database = ("--database", str(tmp_path / "m.db"))
    assert run("memory", "add", "The port is 5432.", *database).code == 0
    (tmp_path / "m.db").chmod(0o600)
    with umask(0):
        assert run("memory", "export", "-o", "memories.jsonl", *database).code == 0
    assert mode(tmp_path / "memories.jsonl") == 0o600


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes")
def test_in_place_keeps_extended_attributes(run, chat):
    try:
        os.setxattr(chat, "user.project", b"billing")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    assert run("compact", "chat.jsonl", *HALF, "--in-place").code == 0
    assert chat.read_bytes() != CHAT
    assert os.getxattr(chat, "user.project") == b"billing"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_in_place_keeps_the_owner_and_the_group(run, chat):
    chat.chmod(0o640)
    os.chown(chat, 1234, 2345)
    assert run("compact", "chat.jsonl", *HALF, "--in-place").code == 0
    after = chat.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (1234, 2345, 0o640)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_what_a_group_may_read_is_not_given_to_another_group(run, tmp_path, chat):
    chat.chmod(0o640)
    os.chown(chat, -1, 2345)
    with umask(0):
        assert run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl").code == 0
    assert mode(tmp_path / "out.jsonl") == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_original_that_doctor_keeps_belongs_to_whom_it_belonged(run, tmp_path, chat):
    chat.write_bytes(CHAT + b'{"role": "assistant", "content": "I was go')
    chat.chmod(0o640)
    os.chown(chat, 1234, 2345)
    assert run("doctor", "chat.jsonl", "--fix", "--in-place", "--tokenizer", "chars").code == 0
    for file in (chat, tmp_path / "chat.jsonl.before-fix"):
        state = file.stat()
        assert (state.st_uid, state.st_gid, stat.S_IMODE(state.st_mode)) == (1234, 2345, 0o640)


def test_doctor_and_restore_say_when_a_hard_link_is_split(run, tmp_path, chat):
    told = "warning: chat.jsonl: had 2 hard links; the others still point to the old content"
    chat.write_bytes(CHAT + b'{"role": "assistant", "content": "I was go')
    (tmp_path / "second.jsonl").hardlink_to(chat)
    assert told not in run("doctor", "chat.jsonl", "--fix", "-o", "mended.jsonl", "--tokenizer", "chars").stderr
    assert told in run("doctor", "chat.jsonl", "--fix", "--in-place", "--tokenizer", "chars").stderr
    database = ("--database", f"sqlite:///{tmp_path}/a.db")
    assert told not in run("compact", "chat.jsonl", *HALF, "--in-place", "--archive", *database).stderr
    (tmp_path / "third.jsonl").hardlink_to(chat)
    assert told in run("restore", "chat.jsonl", "--in-place", *database).stderr


def test_in_place_says_when_a_hard_link_is_split(run, tmp_path, chat):
    (tmp_path / "second.jsonl").hardlink_to(chat)
    done = run("compact", "chat.jsonl", *HALF, "--in-place")
    assert done.code == 0
    assert "warning: chat.jsonl: had 2 hard links; the others still point to the old content" in done.stderr
    assert (tmp_path / "second.jsonl").read_bytes() == CHAT
    assert "names" not in run("compact", "chat.jsonl", *HALF, "-o", "out.jsonl").stderr
