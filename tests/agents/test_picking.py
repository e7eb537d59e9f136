"""--latest, --session and --project wherever a file is taken, and the picker of a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.agents.homes import CLAUDE_ID, CODEX_ID, OLDER_CLAUDE_ID, write_claude, write_opencode
from tests.builders import clean_environment, program_command

pytestmark = pytest.mark.one_test_in(3)

pty = pytest.importorskip("pty")


def path_of(done):
    assert done.code == 0, done.stderr
    return json.loads(done.text)["transcript"]["path"]


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--latest"], CLAUDE_ID),
        (["--latest", "claude"], CLAUDE_ID),
        (["--latest=codex"], CODEX_ID),
        (["--latest", "--project", "billing"], CODEX_ID),
        (["--latest", "Codex"], CODEX_ID),
        (["--session", OLDER_CLAUDE_ID[:12]], OLDER_CLAUDE_ID),
        (["--session", CODEX_ID.upper()], CODEX_ID),
    ],
)
def test_the_session_that_is_meant(at_home, options, name):
    done = at_home("inspect", "--json", *options)
    assert name in path_of(done)
    assert name in done.stderr  # what was chosen is said


def test_what_was_chosen_is_said_with_agent_and_title(at_home):
    done = at_home("inspect", "--session", OLDER_CLAUDE_ID[:12])
    assert done.stderr.startswith("session: claude-code · Till repair · ")
    assert at_home("inspect", "--session", OLDER_CLAUDE_ID[:12], "--quiet").stderr == ""


@pytest.mark.parametrize(
    "args",
    [
        ("score", "--latest", "claude", "--json"),
        ("budget", "--total", "4000", "--latest", "claude", "--json"),
        ("inspect", "--latest", "claude", "--json"),
        ("compact", "--latest", "claude", "--target-tokens", "1000", "-o", "out.jsonl", "--json"),
        ("diff", "--latest", "claude", "after.jsonl", "--json"),
        ("assemble", "--latest", "claude", "--prompt", "prompt.yaml", "--total", "2000", "--dry-run", "--json"),
        ("convert", "--latest", "claude", "--to", "codex", "-o", "out.jsonl"),
        ("doctor", "--latest", "claude", "--fix", "-o", "out.jsonl"),
    ],
)
def test_every_command_that_takes_a_file(at_home, tmp_path, home, args):
    session = next((home / ".claude/projects").glob(f"*/{CLAUDE_ID}.jsonl"))
    (tmp_path / "elsewhere/after.jsonl").write_bytes(session.read_bytes())
    (tmp_path / "elsewhere/prompt.yaml").write_text("task_prompt: {text: Go on.}\n")
    done = at_home(*args)
    assert done.code == 0, done.stderr
    assert f"session: claude-code · Build all parts of the shop. · {session}" in done.stderr


def test_evaluate_measures_the_newest_session(at_home):
    done = at_home("evaluate", "--latest", "claude")
    assert done.code == 1  # it is too short to be measured
    assert CLAUDE_ID in done.stderr


def test_restore_of_a_session_that_is_named_by_its_id(at_home, home, tmp_path):
    path = write_claude(home, home.stat().st_mtime, turns=30, filler="line of output " * 20)
    original, database = path.read_bytes(), f"sqlite:///{tmp_path / 'x.db'}"
    shared = ("--database", database, "--session", CLAUDE_ID, "--in-place")
    assert at_home("compact", *shared, "--target-ratio", "0.5", "--archive").code == 0
    assert path.read_bytes() != original
    done = at_home("restore", *shared)
    assert done.code == 0, done.stderr
    assert path.read_bytes() == original


def test_an_ambiguous_id_lists_the_candidates(at_home):
    done = at_home("inspect", "--session", "0a1b")
    assert done.code == 2
    assert "Till repair" in done.stderr
    assert "Build all parts" in done.stderr
    assert "0a1b2c3d-1" in done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--session", "ffff"], "no session id begins with this"),
        (["--latest", "--project", "nowhere"], "no session"),
        (["--latest", "nobody"], "unknown agent"),
        (["--latest", "kimi"], ".kimi/sessions"),
        (["x.jsonl", "--latest"], "leave out"),
        (["--latest", "--session", "0a1b2c3d-1"], "exclude each other"),
        ([], "Missing argument 'FILE'"),
    ],
)
def test_what_cannot_be_chosen(at_home, args, words):
    done = at_home("inspect", *args)
    assert (done.code, done.text) == (2, "")
    assert words in done.stderr.replace("\\", "/")


def test_a_file_with_the_name_of_an_agent_is_read_by_its_path(at_home, home, tmp_path):
    session = next((home / ".claude/projects").glob(f"*/{OLDER_CLAUDE_ID}.jsonl"))
    (tmp_path / "elsewhere/claude").write_bytes(session.read_bytes())
    assert path_of(at_home("inspect", "claude", "--json")) == "claude"


def test_a_session_of_a_database_is_exported_and_not_replaced(at_home, home):
    """It is read where a format knows it; in place it cannot be replaced."""
    path = write_opencode(home / "second", 0)
    for args in (["compact", "--target-tokens", "10"], ["doctor", "--fix"]):
        done = at_home(*args, "--latest", "opencode", "--in-place")
        assert done.code == 2
        assert "opencode.db" in done.stderr
        assert "use -o" in done.stderr or "with -o" in done.stderr
    assert path.exists()


def at_terminal(home, cwd, args, typed):
    """Run a command with a terminal as standard input and error; returns exit code, output and what it showed."""
    ours, theirs = pty.openpty()
    variables = clean_environment(HOME=str(home), USERPROFILE=str(home), TERM="dumb", COLUMNS="120")
    process = subprocess.Popen(
        program_command(*args), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, cwd=cwd, env=variables
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    assert process.stdout is not None
    output = process.stdout.read()
    process.stdout.close()
    process.wait(timeout=60)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return process.returncode, output.decode(), shown.decode()


@pytest.mark.drawn(3)
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
@pytest.mark.parametrize(("typed", "name"), [("\n", CLAUDE_ID), ("2\n", CODEX_ID), ("99\nx\n4\n", OLDER_CLAUDE_ID)])
def test_at_a_terminal_a_session_is_chosen_by_its_number(home, tmp_path, typed, name):
    code, output, shown = at_terminal(home, tmp_path, ["inspect", "--json"], typed)
    assert code == 0, shown
    assert name in json.loads(output)["transcript"]["path"]
    assert "Round totals half up." in shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
def test_q_leaves(home, tmp_path):
    code, output, shown = at_terminal(home, tmp_path, ["inspect"], "q\n")
    assert (code, output) == (130, "")
    assert "Which session?" in shown
