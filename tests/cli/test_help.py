"""Every command explains itself: examples, and a word on every argument and option."""

from __future__ import annotations

import re

import pytest

COMMANDS = ("score", "budget", "compact", "assemble", "inspect", "diff", "learn")
EXPLAINED = (*COMMANDS, "convert", "doctor", "evaluate", "restore")


def test_the_program_lists_its_commands_and_exit_codes(run):
    done = run("--help")
    assert (done.code, done.stderr) == (0, "")
    for name in COMMANDS:
        assert re.search(rf"^  {name}\s+\w", done.text, re.MULTILINE), name
    for code in (0, 1, 2, 3, 4, 70, 130):
        assert re.search(rf"\b{code}\b", done.text), code


def test_without_arguments_help_is_shown(run):
    done = run()
    assert "Usage:" in done.text + done.stderr
    assert "Traceback" not in done.stderr


def test_the_version_is_told(run):
    done = run("--version")
    assert (done.code, done.text.split()[0]) == (0, "compactor")
    assert re.search(r"\d+\.\d+", done.text)


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_help_of_a_command_is_complete(run, name):
    done = run(name, "--help", COLUMNS="100")
    assert (done.code, done.stderr) == (0, "")
    assert run(name, "-h", COLUMNS="100").text == done.text
    examples = done.text.split("Examples:")[1].split("Arguments:")[0]
    assert re.search(rf"^\s+(\w.*\| )?compactor {name} ", examples, re.MULTILINE)
    options = done.text.split("Options:")[1]
    entries = re.split(r"\n  (?=-)", "\n" + options.strip("\n"))[1:]
    entries = entries or re.findall(r"^  (-.*(?:\n {4,}.*)*)", options, re.MULTILINE)
    assert len(entries) >= 7
    for entry in entries:
        words = re.split(r"\s{2,}|\n", entry.strip(), maxsplit=1)
        assert len(words) == 2, f"no help: {entry}"
        assert len(words[1].split()) >= 2, f"no help: {entry}"
    arguments = done.text.split("Arguments:")[1].split("Options:")[0]
    for line in filter(str.strip, arguments.splitlines()):
        assert len(line.split()) >= 3, f"no help: {line}"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_narrow_terminal_and_names_shared_options_alike(run, name):
    text = run(name, "--help", COLUMNS="80").text
    assert [line for line in text.splitlines() if len(line) > 80 and "compactor " not in line] == []
    for option in ("--format", "--model", "--tokenizer", "--skip-damaged", "--json", "--quiet", "--debug"):
        assert option in text
