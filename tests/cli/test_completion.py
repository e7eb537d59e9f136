"""Completion: what the shells ask, and the shells themselves where they are installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading

import pytest

from compactor_cli.agents import AGENTS
from compactor_cli.configuration.keys import keys
from compactor_cli.formats import FORMATS
from compactor_cli.strategies import STRATEGIES
from tests.builders import ROOT, clean_environment

pytestmark = pytest.mark.one_test_in(2)

SHELLS = ("bash", "zsh", "fish")
SCRIPTS = {"bash": "compactor.bash", "zsh": "_compactor", "fish": "compactor.fish"}


@pytest.fixture
def ask(fresh):
    """What a script of a shell asks; returns the kind of the answer and its words."""

    def asking(*words, shell="zsh", **variables):
        done = fresh(*words, _COMPACTOR_COMPLETE=shell, **variables)
        assert (done.code, done.stderr) == (0, "")
        kind, *lines = done.text.splitlines()
        return kind, [line.partition("\t")[0] for line in lines]

    return asking


WORDS = [
    (("co",), ["compact", "convert", "config", "completion"]),
    (("memory", "se"), ["search"]),
    (("compact", "--strategy", "ad"), ["adaptive"]),
    (("compact", "--strategy=ad"), ["adaptive"]),
    (("compact", "x.jsonl", "--target-"), ["--target-tokens", "--target-ratio"]),
    (("--width", "90", "compact", "--target-r"), ["--target-ratio"]),
    (("compact", "--json", "--js"), []),
    (("memory", "add", "--tag", "a", "--ta"), ["--tag"]),
    (("evaluate", "--strategy", "tiered,ro"), ["tiered,rolling"]),
    (("config", "set", "scoring.th"), ["scoring.threshold"]),
    (("config", "set", "strategy", "ti"), ["tiered"]),
    (("config", "set", "archive.enabled", ""), ["true", "false"]),
    (("compact", "--latest", "cod"), ["codex"]),
    (("compact", "--latest", "--strat"), ["--strategy"]),
    (("score", "--model", "gpt-4o-mini"), ["gpt-4o-mini"]),
    (("convert", "x", "--to", "pi"), ["pi"]),
    (("completion", ""), ["bash", "zsh", "fish"]),
    (("compact", "--target-ratio", ""), []),
    (("compact", "--", "--strat"), []),
]


@pytest.mark.drawn(4)
@pytest.mark.parametrize(("words", "expected"), WORDS)
def test_words_that_may_stand_there(ask, words, expected):
    kind, found = ask(*words)
    assert found[: len(expected)] == expected
    assert bool(found) is bool(expected)
    assert kind == "words" or not expected


KINDS = [
    (("compact", ""), "files"),
    (("compact", "-o", "x"), "files"),
    (("diff", "a", "b"), "files"),
    (("diff", "a", "b", "c"), "none"),
    (("compact", "--out-dir", ""), "dirs"),
    (("sessions", "--project", ""), "dirs"),
    (("diff", "--fail-under", "fi"), "open"),
]


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("words", "kind"), KINDS)
def test_what_the_shell_completes_itself(ask, words, kind):
    assert ask(*words)[0] == kind


def test_all_names_that_a_registry_has_are_offered(ask):
    assert ask("compact", "--strategy", "")[1] == list(STRATEGIES)
    assert ask("compact", "--format", "")[1] == list(FORMATS)
    assert ask("sessions", "--agent", "")[1] == list(AGENTS)
    assert ask("config", "get", "")[1] == list(keys())


def test_sessions_on_this_machine_are_offered_by_their_ids(ask, tmp_path):
    folder = tmp_path / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    name = "44df7d08-6bc4-4532-bef8-167ea3797cee"
    record = {"type": "user", "sessionId": name, "message": {"role": "user", "content": "Round half up."}}
    (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    assert ask("inspect", "--session", "4", HOME=str(tmp_path), USERPROFILE=str(tmp_path)) == ("words", ["44df7d08"])


def test_bash_gets_what_stands_behind_the_sign_that_ends_its_word(ask):
    assert ask("compactor compact --strategy=ad", shell="bash")[1] == ["adaptive"]
    assert ask("X=1 compactor compact 'a file' --strategy ti", shell="bash")[1] == ["tiered"]
    assert ask("compactor compact --strategy ", shell="bash")[1] == list(STRATEGIES)
    assert ask("compactor compact 'open quote", shell="bash") == ("files", [])
    assert ask("compactor compact --llm-model amazon.nova-lite-v1:", shell="bash") == ("words", ["0"])


def test_fish_gets_whole_words(ask):
    assert ask("compact", "--strategy=ad", shell="fish")[1] == ["--strategy=adaptive"]


def test_an_answer_loads_no_command():
    code = "import sys\nsys.argv = ['compactor', 'compact', '--strategy', 'a']\n"
    code += "from compactor_cli.__main__ import main; main()\n"
    code += "print(*{'typer', 'rich', 'shellingham', 'compactor_cli.cli.app'} & set(sys.modules))"
    variables = clean_environment(_COMPACTOR_COMPLETE="zsh")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=variables, check=True)
    assert done.stdout.decode().splitlines()[-1] == ""


def test_the_program_starts_without_asking_which_shell_runs():
    """typer imports what detects it; that it is called would show in /proc or in a process."""
    code = "import shellingham\nshellingham.detect_shell = None\nimport sys\nsys.argv = ['compactor', '--version']\n"
    code += "from compactor_cli.__main__ import main; main()"
    subprocess.run([sys.executable, "-c", code], capture_output=True, env=clean_environment(), check=True)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed_and_says_how_it_is_installed(run, shell):
    done = run("completion", shell)
    assert (done.code, done.stderr) == (0, "")
    assert done.text == (ROOT / "compactor_cli/shell" / SCRIPTS[shell]).read_text()
    assert f"compactor completion {shell} > " in done.text
    assert run("completion", SHELL=f"/bin/{shell}").text == done.text


OTHERS = [
    (["tcsh"], "", "for 'tcsh'; name one of bash, zsh, fish"),
    (["zhs"], "", "did you mean zsh?"),
    ([], "/bin/sh", "for 'sh'"),
    ([], "", "the variable SHELL names no shell"),
]


@pytest.mark.parametrize(("args", "variable", "words"), OTHERS)
def test_a_shell_that_it_is_not_for(run, args, variable, words):
    done = run("completion", *args, SHELL=variable)
    assert (done.code, done.text) == (2, "")
    assert words in done.stderr


STARTS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
READY = {
    "bash": "source compactor.bash\n",
    "zsh": "unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit; compinit -u -D; source ./_compactor\n",
    "fish": "source compactor.fish\n",
}
TYPED = [
    ("compactor compa\t --strat\tadap\t", ["compact", "--strategy", "adaptive"]),
    ("compactor compact --strategy=tier\t", ["compact", "--strategy=tiered"]),
    ("compactor config set scoring.thr\t7", ["config", "set", "scoring.threshold", "7"]),
    ("compactor inspect 'a na\t", ["inspect", "a name.jsonl"]),
    ("compactor compact --out-dir outp\t", ["compact", "--out-dir", "outputs"]),
]


@pytest.fixture
def type_into(tmp_path):
    """Type a line into a shell at a terminal, with a tab where it is to complete; returns the words that it ran."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "compactor"
    asked = f'exec {sys.executable} -m compactor_cli "$@"'
    program.write_text(f'#!/bin/sh\n[ -n "$_COMPACTOR_COMPLETE" ] && {asked}\nprintf \'%s\\n\' "$@" > ran\n')
    program.chmod(0o755)
    (tmp_path / "a name.jsonl").write_text("{}")
    (tmp_path / "outputs").mkdir()
    for script in SCRIPTS.values():
        shutil.copy(ROOT / "compactor_cli/shell" / script, tmp_path)

    def typing(shell, line):
        import pty

        path = os.pathsep.join((str(tmp_path / "bin"), os.environ["PATH"]))
        variables = clean_environment(PATH=path, TERM="vt100", HOME=str(tmp_path), COLUMNS="200", PS1="$ ")
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            STARTS[shell],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=tmp_path,
            env=variables,
            start_new_session=True,
        )
        os.close(theirs)
        shown, patience = b"", threading.Timer(60, process.kill)
        patience.start()
        os.write(ours, f"{READY[shell]}{line}\nexit\n".encode())
        try:
            while chunk := os.read(ours, 1 << 16):
                shown += chunk
        except OSError:  # the shell has ended
            pass
        os.close(ours)
        patience.cancel()
        process.wait(timeout=60)
        ran = tmp_path / "ran"
        assert ran.exists(), shown.decode("utf-8", "replace")
        return ran.read_text().splitlines()

    return typing


@pytest.mark.drawn(3)
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("line", "words"), TYPED)
def test_the_shell_completes(type_into, shell, line, words):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    assert [word.rstrip(" /") for word in type_into(shell, line)] == words
