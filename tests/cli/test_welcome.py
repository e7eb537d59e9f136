"""`compactor` without arguments says what to do next."""

from __future__ import annotations

import json
import shlex

import pytest

from compactor_cli.cli.welcome import sample_path
from tests.builders import prose
from tests.cli.test_startup import SLOW, modules_after

IDS = ("44df7d08-6bc4-4532-bef8-167ea3797cee", "8c0de1aa-6bc4-4532-bef8-167ea3797cee")


@pytest.fixture
def home(tmp_path):
    """A home with two sessions of an agent."""
    folder = tmp_path / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    for name, said in zip(IDS, ("Round half up.", "Sort by date."), strict=True):
        texts = [("user", said), ("assistant", prose("files")), ("user", prose("names")), ("assistant", prose("ends"))]
        records = [
            {"type": role, "uuid": f"u{at}", "sessionId": name, "message": {"role": role, "content": text}}
            for at, (role, text) in enumerate(texts)
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}


def commands(text):
    """The commands that are shown, without the name of the program."""
    lines = [shlex.split(line) for line in text.splitlines() if line.startswith("  ") and "compactor" in line]
    return [next(words[at + 1 :] for at, word in enumerate(words) if word.startswith("compactor")) for words in lines]


def test_it_shows_the_newest_sessions_and_what_to_do_with_one(run, home):
    done = run(**home)
    assert (done.code, done.text) == (2, "")
    assert "There are 2 sessions on this machine" in done.stderr
    for name, said in zip(IDS, ("Round half up.", "Sort by date."), strict=True):
        assert name[:8] in done.stderr
        assert said[:5] in done.stderr
    shown = commands(done.stderr)
    assert [words[0] for words in shown] == ["inspect", "compact"]
    for words in shown:
        assert run(*words, **home).code == 0


def test_without_a_session_it_shows_the_commands_on_a_sample(run):
    done = run()
    assert done.code == 2
    assert "There are no agent sessions on this machine" in done.stderr
    shown = commands(done.stderr)
    assert [words[:2] for words in shown] == [["inspect", str(sample_path())], ["compact", str(sample_path())]]
    for words in shown:
        assert run(*words).code == 0


def test_it_names_where_to_go_on(run):
    said = run().stderr
    for words in ("Usage:", "--help", " sessions", " completion"):
        assert words in said


def test_it_loads_no_slow_module(tmp_path):
    code = "from compactor_cli.cli.welcome import welcome\nwelcome('compactor')"
    assert modules_after(code, SLOW) == []
