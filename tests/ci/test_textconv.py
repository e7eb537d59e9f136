"""`compactor textconv`, alone and as what git shows diffs of transcripts by."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.builders import ROOT, call, calling_message, clean_environment, jsonl, result, user
from tests.program import write_program

pytestmark = pytest.mark.one_test_in(2)

ANSWERED = [
    user("Mend the rounding."),
    calling_message(call("c1", arguments='{"command": "make test", "timeout": 5}')),
    result("c1", "1 failed\nexpected 3"),
]
SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))


@pytest.fixture
def git(tmp_path):
    """A repository whose transcripts are shown by textconv, set up as docs/ci.md says."""
    if shutil.which("git") is None or os.name == "nt":
        pytest.skip("needs git and a shell")
    env = clean_environment(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", HOME=str(tmp_path))
    env |= {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def runner(*args):
        done = subprocess.run(["git", *args], cwd=tmp_path, env=env, capture_output=True, check=True, text=True)
        return done.stdout

    write_program(tmp_path / "bin")
    runner("init", "-q")
    runner("config", "diff.transcript.textconv", f'"{tmp_path / "bin" / "compactor"}" textconv')
    (tmp_path / ".gitattributes").write_text("*.jsonl diff=transcript\n")
    return runner


def test_git_diff_shows_what_was_said_differently(git, tmp_path):
    file = tmp_path / "session.jsonl"
    file.write_bytes(jsonl(*ANSWERED))
    git("add", ".")
    git("commit", "-qm", "a session")
    changed = [{**ANSWERED[0]}, ANSWERED[1], {**ANSWERED[2], "content": "1 passed\nexpected 3"}]
    file.write_bytes(jsonl(*changed, user("Thanks.")))
    lines = [line for line in git("diff", "--no-color").splitlines() if line[:1] in "+-" and line[:3] not in ("+++",)]
    assert [line for line in lines if not line.startswith("--- a/")] == [
        "-1 failed",
        "+1 passed",
        "+",
        "+--- user",
        "+Thanks.",
    ]
    assert "make test" in git("diff", "--no-color", "-U20")
    assert "Thanks." in git("log", "-p", "--no-color") or "Mend the rounding." in git("log", "-p", "--no-color")


def test_git_shows_a_file_that_is_no_transcript_as_it_is(git, tmp_path):
    (tmp_path / "data.jsonl").write_text("just words\n")
    git("add", ".")
    git("commit", "-qm", "no session")
    (tmp_path / "data.jsonl").write_text("other words\n")
    assert "+other words" in git("diff", "--no-color")


def test_parts_stand_under_their_roles_without_numbers_and_ids(run, tmp_path):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*ANSWERED))
    assert run("textconv", "s.jsonl").text == (
        "--- user\nMend the rounding.\n\n"
        "--- assistant calls shell\ncommand: make test\ntimeout: 5\n\n"
        "--- tool result\n1 failed\nexpected 3\n"
    )


@pytest.mark.parametrize("file", SAMPLES, ids=[file.name for file in SAMPLES])
def test_every_sample_becomes_text_that_a_terminal_can_show(run, file):
    done = run("textconv", file)
    assert (done.code, done.stderr) == (0, "")
    assert done.text.startswith(("--- ", "===== conversation 1"))
    assert "\x1b" not in done.text


def test_a_damaged_transcript_is_shown_as_far_as_it_can_be_read(run, tmp_path):
    (tmp_path / "s.jsonl").write_bytes(jsonl(*ANSWERED) + b'{"role": "user", "cont')
    assert "Mend the rounding." in run("textconv", "s.jsonl").text
