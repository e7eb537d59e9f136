"""A home folder in which seven agents keep one session each, and the command line that finds it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from compactor_cli.agents import AGENTS
from compactor_cli.agents.base import make_machine
from tests.agents.conftest import MOVED_BY
from tests.builders import load, run_process
from tests.resuming.sessions import CWD, FORMATS, session

BEGAN = 1_767_225_600.0
"""2026-01-01."""


def place(home, format):
    """Return the path where the agent of a format stores its session."""
    agent = next(agent for agent in AGENTS.values() if agent.format == format and agent.resume)
    own = load(session(format)).transcripts[0].session_id
    if format == "gemini-cli":
        root = home / ".gemini" / "tmp" / "shop" / ".project_root"
        root.parent.mkdir(parents=True, exist_ok=True)
        root.write_text(CWD)
    machine = make_machine({"HOME": str(home)}, windows=False)
    assert agent.new_folder is not None and agent.new_name is not None
    folder = agent.new_folder(machine, CWD, BEGAN)
    assert folder is not None
    return folder / agent.new_name(own, BEGAN)


def write_database(home):
    """Write opencode's database with the session in it."""
    document = json.loads(session("opencode"))
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    info = document["info"]
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE session(id text primary key, project_id text, parent_id text, directory text, title text,"
            " version text, time_created integer, time_updated integer);"
            "CREATE TABLE message(id text primary key, session_id text, time_created integer, data text);"
            "CREATE TABLE part(id text primary key, message_id text, session_id text, data text);"
        )
        row: tuple[Any, ...]
        row = (info["id"], "p", None, CWD, info["title"], "1.2", info["time"]["created"], info["time"]["updated"])
        database.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?)", row)
        for message in document["messages"]:
            own = message["info"]
            data = {name: value for name, value in own.items() if name not in ("id", "sessionID")}
            row = (own["id"], info["id"], own["time"]["created"], json.dumps(data))
            database.execute("INSERT INTO message VALUES (?,?,?,?)", row)
            for part in message["parts"]:
                data = {name: value for name, value in part.items() if name not in ("id", "sessionID", "messageID")}
                row = (part["id"], own["id"], info["id"], json.dumps(data))
                database.execute("INSERT INTO part VALUES (?,?,?,?)", row)
        database.commit()


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in MOVED_BY:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    write_database(home)
    for one in FORMATS:
        if one != "opencode":
            path = place(home, one)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(session(one))
    return home


@pytest.fixture
def at_home(home, tmp_path):
    """Run `compactor ARGS...` with that home folder."""
    (tmp_path / "elsewhere").mkdir()

    def runner(*args, **options):
        there = {"cwd": tmp_path / "elsewhere", "HOME": str(home), "USERPROFILE": str(home)}
        return run_process(*args, **{**there, **options})

    return runner
