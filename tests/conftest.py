"""Fixtures that all tests may use: the command line as a real process, and golden files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.builders import run_process

DATA = Path(__file__).parent / "data"

# a slow machine is no failure
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


@pytest.fixture(autouse=True)
def no_settings_of_the_developer(tmp_path_factory, monkeypatch):
    """Neither the user's settings file nor settings in the environment reach a test."""
    home = tmp_path_factory.getbasetemp() / "home"
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    for name in [name for name in os.environ if name.startswith(("COMPACTOR_", "PROMPT_COMPACTION_"))]:
        monkeypatch.delenv(name)


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="Write the golden files anew instead of comparing.")


@pytest.fixture
def run(tmp_path):
    """Run `compactor ARGS...` as a process in tmp_path; returns its exit code, output and words for people."""

    def runner(*args, **options):
        return run_process(*args, **{"cwd": tmp_path, **options})

    return runner


@pytest.fixture
def session(tmp_path):
    """A copy of the fixed session of 35 messages, as `session.jsonl` in tmp_path."""
    return Path(shutil.copy(DATA / "session.jsonl", tmp_path / "session.jsonl"))


@pytest.fixture
def golden(request):
    """Compare a text with a golden file, or write the file with --update-golden."""

    def compare(path: Path, actual: str):
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode())
            return
        assert path.is_file(), f"{path.name} is missing; write it with: pytest {request.node.nodeid} --update-golden"
        assert path.read_bytes().decode() == actual

    return compare
