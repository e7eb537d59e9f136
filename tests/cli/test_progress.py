"""What progress says while a file is compacted."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import contextmanager
from typing import Any

import pytest
from typer.testing import CliRunner

from compactor_cli.cli import session as session_module
from compactor_cli.cli.app import app
from compactor_cli.cli.configured import configure, forced_values
from compactor_cli.cli.progress import NoSteps
from compactor_cli.cli.session import make_session
from compactor_cli.db.database import open_database
from compactor_cli.memory.stored.memories import list_memories
from tests.conftest import DATA

pytestmark = pytest.mark.one_test_in(4)


class Recorder(NoSteps):
    """Stands for the bar of a terminal, and looks into the database at each word."""

    def __init__(self, log):
        self.log, self.said = log, []

    def say(self, description):
        self.said.append((description.partition(": ")[2], self.log.exists() and remembered(self.log)))


def remembered(log):
    database = open_database(str(log))
    try:
        with database.read() as connection:
            return len(list(list_memories(connection)))
    finally:
        database.close()


@pytest.fixture
def saying(tmp_path, monkeypatch):
    """Runs `compact` on the fixed session in this process; returns (words, memories in the log at that time)."""
    recorder = Recorder(tmp_path / "log.db")

    @contextmanager
    def steps(console, total, each, unit):
        yield recorder

    monkeypatch.setattr(session_module, "steps", steps)
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


AT_ONCE = """
import threading

class Timer(threading.Timer):
    def __init__(self, seconds, *rest, **more):
        super().__init__(0, *rest, **more)

threading.Timer = Timer
"""
"""What Python runs when it starts: nothing is waited for."""


def test_a_pipe_gets_no_bar_where_colours_are_asked_for(fresh, tmp_path, monkeypatch):
    """FORCE_COLOR makes rich take a pipe for a terminal."""
    shutil.copy(DATA / "session.jsonl", tmp_path / "in.jsonl")
    (tmp_path / "sitecustomize.py").write_text(AT_ONCE)
    path = os.pathsep.join((str(tmp_path), os.environ["PYTHONPATH"]))
    options = ("compact", "in.jsonl", "-o", "out.jsonl", "--target-ratio", "0.5")
    coloured = fresh(*options, FORCE_COLOR="1", TERM="xterm-256color", PYTHONPATH=path)
    assert coloured.code == 0
    assert "\x1b[" in coloured.stderr, "colours"
    assert "\x1b[?25l" not in coloured.stderr, "the cursor is not hidden for a bar"


@pytest.fixture
def large(tmp_path):
    """A file that takes a while to read, and a process of Python that does not wait a second with its bar."""
    lines = (DATA / "session.jsonl").read_bytes()
    (tmp_path / "large.jsonl").write_bytes(lines * 60)
    (tmp_path / "small.jsonl").write_bytes(lines)
    (tmp_path / "sitecustomize.py").write_text(AT_ONCE)
    path = os.pathsep.join((str(tmp_path), os.environ["PYTHONPATH"]))
    return {"PYTHONPATH": path, "TERM": "xterm-256color", "COLUMNS": "120"}


READING = [
    ("inspect", "large.jsonl"),
    ("score", "large.jsonl", "--top", "3"),
    ("budget", "large.jsonl", "--total", "8k"),
    ("diff", "large.jsonl", "small.jsonl"),
    ("doctor", "large.jsonl"),
    ("convert", "large.jsonl", "--to", "anthropic", "-o", "out.jsonl"),
    ("compact", "large.jsonl", "--target-ratio", "0.3", "-o", "out.jsonl"),
    ("evaluate", "large.jsonl", "--cuts", "0.5", "--target-ratio", "0.3", "--strategy", "truncate"),
]


@pytest.mark.drawn(8)
@pytest.mark.parametrize("args", READING, ids=lambda args: args[0])
def test_reading_a_large_file_is_shown(at_terminal, large, args):
    shown = at_terminal(*args, **large)
    assert "reading large.jsonl" in shown
    assert re.search(r"\d/\d+\.\d MB", shown)
    assert "error:" not in shown


def test_reading_tells_how_far_it_is():
    session = make_session(configure(forced_values(tokenizer="chars")), quiet=False)
    told: list[Any] = []

    class Bar(NoSteps):
        shows = True

        @contextmanager
        def reading(self, name, size):
            told.append((name, size))
            yield told.append

    session.progress = Bar()
    data = (DATA / "session.jsonl").read_bytes()
    source = session.read(data, "in/session.jsonl")
    (name, size), *pieces = told
    assert (name, size) == ("session.jsonl", len(data))
    assert len(pieces) > source.message_count / 2
    assert len(data) / 2 < sum(pieces) <= len(data)


def test_of_several_files_it_is_shown_how_many_are_done(at_terminal, large, tmp_path):
    for number in range(4):
        shutil.copy(tmp_path / "large.jsonl", tmp_path / f"{number}.jsonl")
    assert "/6 " in at_terminal("inspect", ".", "--faults", **large)


def test_results_go_to_standard_output_while_a_bar_is_shown(at_terminal, large, tmp_path):
    with (tmp_path / "out.json").open("wb") as out:
        shown = at_terminal("inspect", "large.jsonl", "--json", out=out, **large)
    assert "reading large.jsonl" in shown
    assert "heaviest" not in shown
    assert json.loads((tmp_path / "out.json").read_bytes())["heaviest"]


def test_a_bar_is_gone_before_something_is_printed_on_the_same_terminal(at_terminal, large):
    shown = at_terminal("inspect", "large.jsonl", "--json", **large)
    start = shown.index('{"transcript"') if '{"transcript"' in shown else shown.index("{\r\n")
    assert shown.rindex("reading large.jsonl") < start
    assert "━" not in shown[start:]


def test_there_is_no_bar_where_no_line_can_be_drawn_anew(at_terminal, large):
    shown = at_terminal("inspect", "large.jsonl", **{**large, "TERM": "dumb"})
    assert "reading large.jsonl" not in shown
    assert "━" not in shown
    assert "Heaviest messages" in shown


def test_quiet_shows_no_bar(at_terminal, large):
    assert "reading large.jsonl" not in at_terminal("inspect", "large.jsonl", "--quiet", **large)
