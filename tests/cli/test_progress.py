"""What progress says while a file is compacted."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from compactor_cli.cli import many
from compactor_cli.cli.app import app
from compactor_cli.store.database import open_database
from compactor_cli.store.memories import listed
from tests.conftest import DATA


class Recorder:
    """Stands for the bar of a terminal, and looks into the database at each word."""

    def __init__(self, log):
        self.log, self.said = log, []

    def step(self, description=None): ...

    def say(self, description):
        self.said.append((description.partition(": ")[2], self.log.exists() and remembered(self.log)))


def remembered(log):
    database = open_database(str(log))
    try:
        with database.read() as connection:
            return len(list(listed(connection)))
    finally:
        database.close()


@pytest.fixture
def saying(tmp_path, monkeypatch):
    """Runs `compact` on the fixed session in this process; returns (words, memories in the log at that time)."""
    recorder = Recorder(tmp_path / "log.db")

    @contextmanager
    def steps(console, total, each=0):
        yield recorder

    monkeypatch.setattr(many, "steps", steps)
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "session.jsonl", tmp_path / "in.jsonl")

    def run(*args):
        words = ["compact", "in.jsonl", "-o", "out.jsonl", "--target-ratio", "0.5", "--database", "log.db", *args]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        return recorder.said

    return run


def test_the_log_is_written_between_saving_and_done(saying):
    said = saying("--flush")
    assert [words for words, _ in said] == [
        "Reviewing conversation insights...",
        "Finding key learnings...",
        "Creating memory snapshot...",
        "Saving to long-term memory...",
        "Memory refreshed! ✨",
    ]
    counts = [count for _, count in said]
    assert counts[:4] == [False] * 4
    assert counts[4] > 0


def test_without_flush_nothing_is_said_of_memories(saying):
    assert [words for words, _ in saying()] == [
        "Reviewing conversation insights...",
        "Creating memory snapshot...",
        "Memory refreshed! ✨",
    ]
