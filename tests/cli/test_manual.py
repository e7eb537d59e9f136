"""The manual page, and the table of words that are completed: made of the commands as they are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.builders import ROOT, clean_environment

FOLDER = ROOT / "compactor_cli" / "shell"
TABLE = json.loads((FOLDER / "words.json").read_bytes())


def test_the_page_and_the_table_are_what_the_commands_are():
    """It fails after a change of options until `make docs` has been run."""
    done = subprocess.run(
        [sys.executable, "docs/shell.py", "--check"],
        cwd=ROOT,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.fixture(scope="module")
def rendered():
    """The page as `man` shows it."""
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=200n", FOLDER / "compactor.1"], capture_output=True, check=True
    )
    assert done.stderr == b"", "warnings"
    return re.sub(".\b", "", done.stdout.decode())


def test_it_has_every_command_and_option(rendered):
    words = " ".join(rendered.split())
    for name, command in TABLE["commands"].items():
        assert f"compactor {name}".strip() in words
        for option in command["options"]:
            for spelled in TABLE["options"][option]["names"]:
                assert spelled in words or spelled in ("-h", "--help")


def test_it_has_the_exit_codes_and_the_variables(rendered):
    for title in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES"):
        assert f"\n{title}\n" in rendered
    assert "4 the budget cannot be met" in " ".join(rendered.split())
    assert "NO_COLOR" in rendered


def test_man_shows_it_without_a_warning():
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    page = ["man", "--warnings", "-l", str(FOLDER / "compactor.1")]
    done = subprocess.run(page, capture_output=True, env=clean_environment(MANPAGER="cat"), check=True)
    assert done.stderr == b""
    assert b"make saved sessions" in done.stdout
