"""A command that is forked from a warm process does the same as one that Python starts."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests import warm
from tests.builders import run_fresh, run_process

CHARS = ("--tokenizer", "chars")
HALF = ("compact", "session.jsonl", "--target-ratio", "0.5", *CHARS)
PIPE = 1 << 16
"""Usual capacity of a pipe in bytes."""
FORKS = pytest.mark.skipif(not warm.CAN_SERVE, reason="there is no fork")


@pytest.fixture
def both(session, tmp_path):
    """Run a command in both ways in one folder. Assert that the results are equal, and return them."""

    def runner(*args, **options):
        there = {"cwd": tmp_path, **options}
        forked, fresh = run_process(*args, **there), run_fresh(*args, **there)
        assert forked == fresh
        return forked

    return runner


@pytest.mark.drawn(7)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--version",), 0),
        (("--help",), 0),
        (("compact", "--help"), 0),
        (("memory", "--help"), 0),
        ((), 2),
        (("shrink",), 2),
        (("compact", "session.jsonl", "--no-such-option"), 2),
        (("compact", "missing.jsonl"), 3),
        (("inspect", "a name with \udcff in it"), 3),
        ((*HALF, "--quiet"), 0),
        ((*HALF, "-o", "out.jsonl"), 0),
        (("compact", "session.jsonl", "--target-tokens", "1", *CHARS), 4),
        (("inspect", "session.jsonl"), 0),
        (("restore", "session.jsonl"), 1),
    ],
)
def test_it_prints_the_same_and_ends_with_the_same_code(both, arguments, code):
    assert both(*arguments).code == code


def test_standard_input_arrives_whole_however_large_it_is(both, session):
    many = session.read_bytes() * 20
    assert len(many) > 4 * PIPE
    assert both("inspect", "-", "--json", *CHARS, input=many).json
    assert both("--version", input=many).code == 0, "nobody reads it"


@pytest.mark.drawn(3)
@pytest.mark.parametrize("variables", [{"COLUMNS": "60"}, {"COLUMNS": "150", "NO_COLOR": "1"}, {"FORCE_COLOR": "1"}])
def test_variables_of_the_environment_are_those_of_the_command(both, run, session, variables):
    assert both("inspect", "session.jsonl", *CHARS, **variables).stdout != run("inspect", session, *CHARS).stdout


def test_settings_of_one_command_do_not_reach_the_next(both, tmp_path):
    folder = tmp_path / "config" / "compactor"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('strategy = "no-such"\n')
    assert both(*HALF, "--quiet", XDG_CONFIG_HOME=str(tmp_path / "config")).code == 2
    assert both(*HALF, "--quiet", COMPACTOR_STRATEGY="no-such").code == 2
    assert both(*HALF, "--quiet").code == 0


def test_with_debug_an_error_has_its_traceback(run, fresh, session):
    for runner in (run, fresh):
        done = runner(*HALF, "--debug", COMPACTOR_STRATEGY="no-such")
        assert done.code == 2
        assert "Traceback (most recent call last)" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_of_the_umask(run, session, tmp_path, mask):
    before = os.umask(mask)
    try:
        assert run(*HALF, "-o", "out.jsonl").code == 0
    finally:
        os.umask(before)
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "LC_ALL", "TIKTOKEN_CACHE_DIR"])
def test_what_is_looked_at_when_a_process_starts_has_python_start(monkeypatch, name):
    monkeypatch.setattr(warm, "run_fresh", lambda *args, **options: (args, options[name]))
    assert run_process("--version", **{name: "7"}) == (("--version",), "7")


@FORKS
def test_each_is_a_process_of_its_own(tmp_path):
    forking = warm.WarmProcess("tests.test_warm")
    try:
        killed = forking.run("--version", cwd=tmp_path, END_BY="9")
        assert killed.code == -signal.SIGKILL
        assert forking.run("--version", cwd=tmp_path).code == 0, "the others go on"
    finally:
        forking.close()


def begin():
    """Runs in each forked process of the test above."""
    if "END_BY" in os.environ:
        os.kill(os.getpid(), int(os.environ["END_BY"]))


@FORKS
def test_a_command_that_does_not_end_is_ended(tmp_path):
    os.mkfifo(tmp_path / "never")
    with pytest.raises(subprocess.TimeoutExpired):
        run_process("inspect", tmp_path / "never", timeout=1)
