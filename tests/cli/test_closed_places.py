"""Files and folders that the system does not let be read: they count as failed, and stop nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.builders import FinishedRun, clean_environment, jsonl, plain_exchanges, program_command

HALF = ("--target-ratio", "0.5", "--tokenizer", "chars")
CHAT = jsonl(*plain_exchanges(15))
_OVERRIDES = "-dac_override,-dac_read_search"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")


@pytest.fixture
def bound(tmp_path):
    """Run `compactor ARGS...` as somebody for whom modes count, also where the tests are run by root."""
    prefix = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root reads everything, and there is no setpriv")
        prefix = ["setpriv", f"--bounding-set={_OVERRIDES}", f"--inh-caps={_OVERRIDES}"]

    def runner(*args, **variables):
        line = [*prefix, *program_command(*args)]
        done = subprocess.run(line, capture_output=True, cwd=tmp_path, env=clean_environment(**variables), check=False)
        return FinishedRun(done.returncode, done.stdout, done.stderr.decode())

    yield runner
    for place in tmp_path.rglob("*"):
        if place.name.startswith("closed"):
            place.chmod(0o700)


def closed(folder, name="closed"):
    """A folder with a session that nobody may look into."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "s.jsonl").write_bytes(CHAT)
    place.chmod(0)
    return place


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "closed.jsonl"
    place.write_bytes(CHAT)
    place.chmod(0)
    (tmp_path / "open.jsonl").write_bytes(CHAT)
    (tmp_path / "prompt.yaml").write_text("task_prompt: Go on.\n")
    return place


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "arguments",
    [
        ["compact", *HALF, "-o", "out"],
        ["score"],
        ["inspect"],
        ["diff", "open.jsonl"],
        ["convert", "--to", "pi"],
        ["restore"],
        ["textconv"],
        ["doctor"],
        ["evaluate"],
        ["assemble", "--prompt", "prompt.yaml", "--total", "2k"],
    ],
    ids=" ".join,
)
def test_a_file_that_may_not_be_read_is_exit_code_3(bound, file, arguments):
    done = bound(*arguments, "closed.jsonl")
    assert (done.code, done.stdout) == (3, b"")
    assert "closed.jsonl: cannot be read: Permission denied" in done.stderr


def test_a_file_in_a_folder_that_may_not_be_looked_into_is_exit_code_3(bound, tmp_path):
    closed(tmp_path)
    for path in ("closed/s.jsonl", "closed/*.jsonl", "closed"):
        done = bound("inspect", path)
        assert done.code == 3
        assert ": cannot be read: Permission denied" in done.stderr


def test_a_file_that_may_be_listed_and_not_read_counts_for_its_pattern(bound, tmp_path):
    closed(tmp_path).chmod(0o444)
    done = bound("inspect", "closed/*.jsonl")
    assert done.code == 3
    assert "closed/s.jsonl: cannot be read: Permission denied" in done.stderr


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_is_closed_in_a_folder_fails_and_the_others_are_done(bound, tmp_path, what):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.jsonl").write_bytes(CHAT)
    (tmp_path / "set" / "z.jsonl").write_bytes(CHAT)
    if what == "folder":
        closed(tmp_path / "set")
    else:
        (tmp_path / "set" / "closed").write_bytes(CHAT)
        (tmp_path / "set" / "closed").chmod(0)
    options = ("--out-dir", "out", "--report", "r.jsonl")
    done = bound("compact", "set", *HALF, *options)
    assert done.code == 3
    assert "error: set/closed: cannot be read: Permission denied" in done.stderr
    assert sorted(path.name for path in (tmp_path / "out").glob("[a-z].jsonl")) == ["a.jsonl", "z.jsonl"]
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 2
    # nothing of what is closed is in them
    assert all((tmp_path / name).stat().st_mode & 0o400 for name in ("r.jsonl", "out/.compactor-done.jsonl"))
    again = bound("compact", "set", *HALF, *options, "--resume", "-q")
    assert (again.code, again.stderr) == (3, "")
    assert bound("inspect", "set", "-q").code == 3


def test_learn_names_a_folder_that_it_may_not_look_into(bound, tmp_path):
    pytest.importorskip("numpy")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "a.jsonl").write_bytes(CHAT)
    closed(tmp_path / "set")
    assert "left out: set/closed: cannot be read" in bound("learn", "set", "-o", "p.toml", "--no-held-out").stderr


def test_a_folder_for_outputs_that_cannot_be_made_is_exit_code_2(bound, tmp_path, file):
    closed(tmp_path, "closed-folder")
    for arguments in (["compact", "open.jsonl", *HALF], ["convert", "open.jsonl", "--to", "pi"]):
        done = bound(*arguments, "--out-dir", "closed-folder/out")
        assert done.code == 2
        assert "closed-folder/out: the folder cannot be created: Permission denied" in done.stderr


def test_a_settings_folder_that_may_not_be_looked_into_has_no_settings_and_takes_none(bound, tmp_path, file):
    config = {"XDG_CONFIG_HOME": str(closed(tmp_path, "closed-settings"))}
    assert bound("inspect", "open.jsonl", **config).code == 0
    for change in (["set", "strategy", "hybrid", "--user"], ["init", "--user"]):
        done = bound("config", *change, **config)
        assert done.code == 2
        assert "the folder cannot be created: Permission denied" in done.stderr
