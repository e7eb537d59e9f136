"""`compactor browse` as a process: in a terminal of its own, without one, and without its extra."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios

import pytest

from tests.builders import clean_environment, program_command

pytestmark = pytest.mark.one_test_in(2)

TOKENS = ("--tokenizer", "chars")


class Terminal:
    """A process at a terminal, whose keys are typed and whose screen is read."""

    def __init__(self, cwd, *args, **variables):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            program_command(*args),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env=clean_environment(**variables),
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def until(self, words):
        """Read what is written until it has these words; fails where it ends before."""
        begin = len(self.shown)
        while words not in plain(self.shown[begin:]):
            assert select.select([self.ours], [], [], 60)[0], f"no {words!r} in {plain(self.shown[begin:])!r}"
            self.shown += os.read(self.ours, 65536).decode("utf-8", "replace")
        return plain(self.shown[begin:])

    def press(self, keys):
        os.write(self.ours, keys.encode())

    def end(self):
        """All that is written to the end, and the exit code."""
        try:
            while chunk := os.read(self.ours, 65536):
                self.shown += chunk.decode("utf-8", "replace")
        except OSError:  # the other end is closed
            pass
        os.close(self.ours)
        return self.process.wait(timeout=60)


def plain(text):
    return re.sub(r"\x1b(\[[0-9;?<>=]*[a-zA-Z$]|\][^\x07]*\x07|[=>PX^_][^\x1b]*\x1b\\|[()][A-Z0-9]|[=>])", "", text)


def test_in_a_terminal_decisions_are_made_saved_and_told_of(session, tmp_path, run):
    terminal = Terminal(tmp_path, "browse", session.name, "--target-ratio", "0.4", *TOKENS, TERM="xterm-256color")
    terminal.until("of target")
    terminal.press("g")
    terminal.until("Go to message")
    terminal.press("8\r")
    terminal.until("#8 ·")
    terminal.press("d")
    terminal.until("dropped by a decision")
    terminal.press("s")
    terminal.until("session.decisions.json")
    terminal.press("\r")
    terminal.until("Saved to")
    terminal.press("q")
    assert terminal.end() == 0
    assert "\x1b[?1049l" in terminal.shown  # the screen is as it was
    last = terminal.shown.rpartition("\x1b[?1049l")[2]
    assert "decisions saved to session.decisions.json" in last
    (one,) = json.loads((tmp_path / "session.decisions.json").read_bytes())["decisions"]
    assert one["decision"] == "drop"
    assert run("compact", session, "--decisions", "session.decisions.json", *TOKENS, "-o", "small.jsonl").code == 0


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_are_left_out_where_they_are_not_wanted(session, tmp_path, variables, coloured):
    variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **variables}
    terminal = Terminal(tmp_path, "browse", session.name, "--target-ratio", "0.4", *TOKENS, **variables)
    shown = terminal.until("of target")
    terminal.press("q")
    assert terminal.end() == 0
    assert "summarized" in shown
    colours = re.findall(r"[34]8;2;(\d+);(\d+);(\d+)", terminal.shown)
    assert coloured == any(len({red, green, blue}) > 1 for red, green, blue in colours)


@pytest.mark.everything
def test_it_ends_when_its_terminal_is_closed(session, tmp_path):
    terminal = Terminal(tmp_path, "browse", session, "--target-ratio", "0.4", *TOKENS)
    terminal.until("? explains")
    os.close(terminal.ours)
    assert terminal.process.wait(timeout=60) == 130


def test_without_a_terminal_it_says_so(run, session):
    done = run("browse", session)
    assert done.code == 2
    assert "the browser needs a terminal" in done.stderr
    assert "compact --dry-run prints the plan" in done.stderr


def test_standard_input_is_for_keys(run):
    done = run("browse", "-")
    assert done.code == 2
    assert "the browser reads keys from standard input" in done.stderr


def test_without_the_extra_it_says_what_to_install(fresh, session, tmp_path):
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "textual.py").write_text("raise ModuleNotFoundError('hidden', name='textual')\n")
    path = os.pathsep.join((str(tmp_path / "hidden"), os.environ["PYTHONPATH"]))
    done = fresh("browse", session, PYTHONPATH=path)
    assert done.code == 2
    assert done.stderr == (
        "error: the browser needs Textual, which is not installed: pip install 'compactor-cli[browse]'\n"
    )


def test_no_other_command_imports_textual(fresh, session, tmp_path):
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "textual.py").write_text("raise AssertionError('imported')\n")
    path = os.pathsep.join((str(tmp_path / "hidden"), os.environ["PYTHONPATH"]))
    for args in (
        ("inspect", session),
        ("compact", session, "--target-ratio", "0.5", "-o", "o.jsonl"),
        ("browse", "--help"),
    ):
        assert fresh(*args, PYTHONPATH=path).code == 0
