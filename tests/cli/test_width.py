"""How wide tables are, and when they have colours."""

from __future__ import annotations

import re

import pytest

from tests.builders import assistant, jsonl, user

pytestmark = pytest.mark.one_test_in(2)

CHARS = ("--tokenizer", "chars")
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]")


def widest(text):
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize("before", [True, False])
def test_the_option_stands_before_or_behind_the_command(run, session, before):
    words, width = ["score", session.name, *CHARS], ["--width", 90]
    done = run(*width, *words) if before else run(*words, *width)
    assert done.code == 0
    assert 80 < widest(done.text) <= 90
    assert done.text == run(*words, COLUMNS="90").text


def test_it_wins_over_the_variable(run, session):
    assert widest(run("score", session.name, *CHARS, "--width", 70, COLUMNS="140").text) <= 70


@pytest.mark.parametrize("command", [("config",), ("config", "get"), ("memory", "list"), ("strategies",)])
def test_every_command_has_it(run, command):
    assert "--width" in run(*command, "--help").text


def test_a_width_in_which_nothing_fits_is_refused(run):
    done = run("strategies", "--width", "3")
    assert (done.code, done.text) == (2, "")
    assert "--width: 3 must be at least 40" in done.stderr


@pytest.mark.parametrize("columns", ["wide", "0", "-4", ""])
def test_a_variable_that_is_no_width_is_not_used(run, columns):
    assert run("strategies", COLUMNS=columns).text == run("strategies").text


COLOURS = [
    ({}, False),
    ({"FORCE_COLOR": "1", "TERM": "xterm-256color"}, True),
    ({"FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": "1"}, False),
    ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
]


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("variables", "colours"), COLOURS)
def test_colours_in_a_pipe(run, session, variables, colours):
    text = run("inspect", session.name, *CHARS, **variables).text
    assert bool(COLOUR.search(text)) is colours


TERMINALS = [({"TERM": "xterm-256color"}, True), ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False)]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("variables", "colours"), [*TERMINALS, ({"TERM": "dumb"}, False)])
def test_colours_at_a_terminal(at_terminal, session, variables, colours):
    text = at_terminal("inspect", session.name, *CHARS, **variables)
    assert "Heaviest messages" in text
    assert bool(COLOUR.search(text)) is colours
    if variables["TERM"] == "dumb":
        assert "\x1b" not in text


def test_bars_are_made_of_what_the_encoding_has(run, session):
    blocks, plain = run("inspect", session.name, *CHARS), run("inspect", session.name, *CHARS, PYTHONIOENCODING="ascii")
    assert "█" in blocks.text
    assert "\\u2588" not in plain.text
    assert re.search(r"#+\.+", plain.text)
    assert "." * 20 in plain.text


def test_what_is_shown_of_messages_and_headings_does_not_depend_on_what_bars_are_made_of(run, tmp_path):
    text = "a · b █ c"
    (tmp_path / "m.jsonl").write_bytes(jsonl(user(text), assistant("Done.")))
    shown = run("inspect", "m.jsonl", "--message", 0, *CHARS, PYTHONIOENCODING="latin-1")
    assert "a · b \\u2588 c" in shown.stdout.decode("latin-1")
    page = run("inspect", "m.jsonl", *CHARS, PYTHONIOENCODING="latin-1").stdout.decode("latin-1")
    assert "openai-chat · 2 messages" in page
    assert "." * 20 in page
    assert "█··" in run("inspect", "m.jsonl", *CHARS, PYTHONIOENCODING="cp437").stdout.decode("cp437")
