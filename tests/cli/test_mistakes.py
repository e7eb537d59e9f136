"""Words that cannot be used are answered in one style: what is wrong, what was meant, and where the help is."""

from __future__ import annotations

import shutil

import pytest
from typer.testing import CliRunner

from compactor_cli.cli import many
from compactor_cli.cli.app import app
from tests.conftest import DATA

HALF = ("--target-ratio", "0.5", "--tokenizer", "chars")

PARSED = [
    (("compat",), "no such command 'compat'. Did you mean 'compact'", ""),
    (("shrink",), "no such command 'shrink'. Did you mean 'compact'?", ""),
    (("memory", "lsit"), "no such command 'lsit'. Did you mean 'list'?", " memory"),
    (("--verison",), "no such option: --verison. Did you mean --version?", ""),
    (("compact", "--taget-ratio", "0.5"), "no such option: --taget-ratio. Did you mean --target-ratio?", " compact"),
    (("compact", "--nothing-like-it"), "no such option: --nothing-like-it", " compact"),
    (("compact", "x", "--target-ratio"), "--target-ratio needs a value", " compact"),
    (("compact", "x", "--json=3"), "--json takes no value", " compact"),
    (("compact", "x", "--target-ratio", "most"), "--target-ratio: 'most' is not a share between 0 and 1", " compact"),
    (("compact", "x", "--concurrency", "99"), "--concurrency: 99 must be from 1 to 64", " compact"),
    (("compact", "x", "--keep-last", "few"), "--keep-last: 'few' is not a whole number", " compact"),
    (("learn", "x", "-o", "p.toml", "--penalty", "nan"), "--penalty: nan is not a finite number", " learn"),
    (("score", "x", "--threshold", "nan"), "--threshold: nan is not a finite number", " score"),
    (("compact", "x", "--max-cost", "nan"), "--max-cost: nan is not a finite number", " compact"),
    (("evaluate", "x", "--timeout", "inf"), "--timeout: inf is not a finite number", " evaluate"),
    (("evaluate", "x", "--timeout", "nan"), "--timeout: nan is not a finite number", " evaluate"),
    (("doctor", "x", "--max-image-bytes", "5x"), "--max-image-bytes: '5x' is not a number of bytes", " doctor"),
    (("compact", "x", "--target-tokens", "4,00,0"), "--target-tokens: '4,00,0' is not a number of tokens", " compact"),
    (("compact", "x", "--target-tokens", "\uff14000"), "--target-tokens: '\uff14000' is not a number of", " compact"),
    (("sessions", "--limit", "-3"), "--limit: -3 must be at least 0", " sessions"),
    (("budget", "x"), "missing --total: Token budget of the whole prompt", " budget"),
    (("score", "a", "b"), "unexpected argument: b", " score"),
]
"""Arguments -> the sentence, and the command whose help is named."""

NAMED = [
    (("compact", "session.jsonl", *HALF, "--strategy", "adpative"), "(did you mean adaptive?)"),
    (("compact", "session.jsonl", *HALF, "--summarizer", "extracive"), "(did you mean extractive?)"),
    (("compact", "session.jsonl", *HALF, "--emit", "natve"), "(did you mean native?)"),
    (("compact", "session.jsonl", "--target-ratio", "0.5", "--tokenizer", "cars"), "(did you mean chars?)"),
    (("score", "session.jsonl", "--scorer", "wieghted"), "(did you mean weighted?)"),
    (("inspect", "session.jsonl", "--format", "claud-code"), "(did you mean claude-code?)"),
    (("convert", "session.jsonl", "--to", "codx"), "(did you mean codex?)"),
    (("sessions", "--agent", "claud"), "(did you mean claude?)"),
    (("diff", "session.jsonl", "session.jsonl", "--fail-under", "fles=90"), "(did you mean files?)"),
    (("config", "set", "stratgy", "tiered"), "(did you mean strategy?)"),
    (("config", "set", "strategy", "tired"), "(did you mean tiered?)"),
]


@pytest.mark.parametrize(("args", "what", "command"), PARSED)
def test_what_the_parser_refuses(run, args, what, command):
    done = run(*args)
    assert (done.code, done.text) == (2, "")
    first, last = done.stderr.splitlines()
    assert first.startswith(f"error: {what}")
    assert last == f"See compactor{command} --help." or last.endswith(f"compactor_cli{command} --help.")


def test_a_file_that_begins_with_a_dash_is_told_how_to_be_named(fresh, session):
    session.rename(session.with_name("-notes.jsonl"))
    done = fresh("compact", "-notes.jsonl", *HALF)
    assert done.code == 2
    assert done.stderr.startswith("error: no such option: -n. The file of that name is ./-notes.jsonl\n")
    assert fresh("inspect", "./-notes.jsonl").code == 0


@pytest.mark.parametrize(("args", "words"), NAMED)
def test_a_value_spelled_almost_like_one_that_is_known(run, session, args, words):
    done = run(*args)
    assert (done.code, done.text) == (2, "")
    assert done.stderr.startswith("error: ")
    assert words in done.stderr


def test_a_value_that_is_like_none_is_answered_with_all(run, session):
    done = run("compact", session.name, *HALF, "--strategy", "zzz")
    assert "did you mean" not in done.stderr
    assert "adaptive, tiered" in done.stderr


def test_a_mistake_is_told_of_also_where_all_else_is_quiet(run):
    done = run("compact", "x", "--taget-ratio", "0.5", "--quiet")
    assert done.code == 2
    assert "Did you mean --target-ratio?" in done.stderr


def test_escapes_in_what_was_mistyped_do_not_reach_the_terminal(run):
    done = run("compact", "--\x1b[31mred")
    assert done.code == 2
    assert "\x1b" not in done.stderr


def test_short_and_long_ask_for_the_version(run):
    assert run("-V").text == run("--version").text


def test_a_bug_in_one_of_several_files_says_what_to_do(tmp_path, monkeypatch):
    """Once, however many files it was in."""
    for name in ("one.jsonl", "two.jsonl"):
        shutil.copy(DATA / "session.jsonl", tmp_path / name)

    def broken(*args):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(many, "compact_file", broken)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["compact", "one.jsonl", "two.jsonl", *HALF, "--out-dir", "out"])
    assert done.exit_code == 70
    assert done.stderr.count("this is a bug: ZeroDivisionError") == 2
    assert done.stderr.count("Run again with --debug") == 1


def test_a_limit_without_end_is_none(run, session):
    done = run("compact", session, "--target-ratio", 0.5, "--max-cost", "inf", "-o", "small.jsonl")
    assert (done.code, "--max-cost not used: no model is asked" in done.stderr) == (0, True)


def test_standard_input_is_read_once(run):
    done = run("diff", "-", "-", input=b"x")
    assert done.code == 2
    assert "standard input can be read only once; name a file for one of them" in done.stderr
