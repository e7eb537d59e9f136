"""What is declared of a setting reaches the commands that it names, as a typed value that says where it came from."""

from __future__ import annotations

import json

import pytest
import typer
from typer.core import TyperGroup

from compactor_cli.cli.app import app
from compactor_cli.configuration.keys import keys
from compactor_cli.summaries.registry import SUMMARIZERS

OPTIONS = [(key.option.name, command) for key in keys().values() if key.option for command in key.option.commands]


def command_named(name):
    found = typer.main.get_command(app)
    for word in name.split():
        assert isinstance(found, TyperGroup)
        found = found.commands[word]
    return found


def words_of(command):
    return {word for parameter in command.params for word in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("option", "command"), OPTIONS)
def test_each_command_that_a_setting_names_takes_its_option(option, command):
    assert set(option.split("/")) <= words_of(command_named(command))


def test_no_command_has_two_options_of_one_name():
    for name in {command for _, command in OPTIONS}:
        words = [word for parameter in command_named(name).params for word in parameter.opts]
        assert len(words) == len(set(words)), name


def test_help_is_the_meaning_with_what_is_allowed_and_the_default():
    shown = {p.name: p.help for p in command_named("compact").params}
    assert shown["threshold"] == "Lowest score of a residual; default: 60."
    assert shown["summarizer"] == f"Who writes summaries: {', '.join(SUMMARIZERS)}; default: extractive."
    share = "Largest share of messages (and tokens) that may be residuals (0.25 or 25%)"
    assert shown["max_residuals"].startswith(share)
    assert shown["keep"].endswith("may be repeated.")
    assert "empty:" not in "".join(text or "" for text in shown.values())


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps({"role": "user", "content": f"Say {n}."}) + "\n" for n in range(40)))
    return path


def test_an_option_is_stronger_than_the_variable_of_its_setting(run, session):
    variables = {"COMPACTOR_SCORING_MAX_RESIDUALS": "0.5", "COMPACTOR_SCORING_THRESHOLD": "0"}
    some, few = (
        json.loads(run("score", session, "--json", *option, **variables).stdout)
        for option in ((), ("--max-residuals", "5%"))
    )
    assert (some["residuals"]["limit"], few["residuals"]["limit"]) == (20, 2)


def test_an_option_that_names_a_file_sets_its_text(run, session, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    done = run("compact", session, "--target-ratio", "0.5", "--summary-prompt", empty)
    assert done.code == 2
    assert "--summary-prompt" in done.stderr and "the file is empty" in done.stderr


def test_a_time_that_is_none_names_its_option(run, session):
    done = run("score", session, "--now", "whenever")
    assert done.code == 2
    assert "--now 'whenever' is not a time" in done.stderr


def test_words_for_an_option_that_is_wrong_are_said_where_all_else_is_quiet(run, session):
    for wrong in (("--strategy", "zzz"), ("--keep", "("), ("--target-tokens", "9", "--target-ratio", "0.5")):
        done = run("compact", session, *wrong, "--quiet")
        assert (done.code, done.text) == (2, "")
        assert done.stderr.startswith("error: ")
    assert run("compact", session, "--target-tokens", "1", "--quiet").stderr == "", "a target is no wrong option"


def test_quiet_and_debug_are_those_of_the_command_and_no_words_anywhere(run, tmp_path):
    missing = tmp_path / "--debug"
    loud, silent = run("score", missing), run("score", missing, "--quiet")
    assert (loud.code, silent.code) == (3, 3)
    assert "error: " in loud.stderr and "Traceback" not in loud.stderr
    assert silent.stderr == ""
    assert "Traceback" in run("score", missing, "--debug").stderr
    asked = run("inspect", "--session", "-q", "--project", "nowhere")
    assert "error: " in asked.stderr
