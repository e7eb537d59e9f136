"""Tools named after the command that they run, or after the program whose arguments they take: `git_commit`,
`run_tests`, `kubectl`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from compactor_cli.features.work.checks import GIVEN
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.features.work.programs import CHECKERS, kind_by_name
from compactor_cli.features.work.remote_steps import ELSEWHERE, acts_with
from compactor_cli.features.work.tool_names import only_tries, tool_words
from compactor_cli.text.shell import word_set

_GIT = word_set("commit push pull add reset merge rebase revert cherry-pick checkout")
"""Git commands that tools are named after and that change something without a further verb."""
_FOLDERS = ("repo_path", "repoPath", "repository_path", "cwd", "workdir", "working_directory", "workingDirectory")
_OPTIONS = ("amend", "force", "hard", "tags", "abort")
_OPERANDS = (
    *("remote", "branch", "branch_name", "branchName", "branchOrPath", "target", "ref", "commit", "commitRef"),
    *("revision", "files", "paths"),
)
_PROGRAMS = CHECKERS | ELSEWHERE
_AROUND = word_set("run execute exec call invoke cli command cmd tool")
"""Words that may surround the program in a tool's name: `run_kubectl`, `aws_cli`."""
_WORDS = ("args", "arguments", "argv", "command_line", "commandLine", "cmdline")
"""Names of arguments with a program's command line, without the program."""
_VERBS = ("subcommand", "subCommand", "sub_command", "command", "cmd", "verb")
"""Names of arguments with the first word of a command line, if it is separate; `command` may be the whole line."""


def named_command(tool: str, arguments: Any, typed: str) -> tuple[str, dict[str, str]]:
    """Return the command that a tool runs, derived from its name and arguments, with the arguments that a shell tool
    would take. Return ("", {}) for a tool that is not named like a command. `typed`: what looks like a shell command
    in the arguments; it may lack the program."""
    if not isinstance(arguments, dict):
        return "", {}
    verb = _git_verb(tool)
    if not typed and (verb or _checks(tool)):
        command = shlex.join(["git", verb, *_of_git(arguments)] if verb else [tool, *_of_check(arguments)])
    elif not (command := _line_of(_program(tool), arguments)):
        return "", {}
    folder = next((arguments[key] for key in _FOLDERS if isinstance(arguments.get(key), str)), "")
    return command, {"command": command, **({"cwd": folder} if folder else {})}


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def _git_verb(tool: str) -> str:
    words = tool_words(tool)
    verb = "-".join(words[1:])
    return verb if words[:1] == ("git",) and verb in _GIT else ""


@lru_cache(maxsize=1024)
def _checks(tool: str) -> bool:
    return kind_by_name(tool) is not None


@lru_cache(maxsize=1024)
def _program(tool: str) -> str:
    """Return the program that a tool is named after."""
    named = tool.lower().replace("_", "-")
    telling = [word for word in tool_words(tool) if word not in _AROUND]
    return next((name for name in (named, *(telling if len(telling) == 1 else ())) if name in _PROGRAMS), "")


def _line_of(program: str, arguments: dict[str, Any]) -> str:
    """Return the command line of a program whose arguments a call gives as they would be typed; "" if it does not."""
    if not program or only_tries(arguments):
        return ""
    given = next(filter(None, (_typed(arguments.get(key)) for key in _WORDS)), "")
    verb = next(filter(None, (_typed(arguments.get(key)) for key in _VERBS)), "")
    whole = not given and (" " in verb or len(arguments) == 1)
    if not given and not (whole and acts_with(program, verb.split())):
        return ""
    return " ".join(filter(None, ["" if f"{verb or given} ".startswith(f"{program} ") else program, verb, given]))


def _typed(value: object) -> str:
    """Return words of a command line as they would be typed."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value.strip() if isinstance(value, str) else ""


def _of_git(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield options and operands of a git command."""
    message = arguments.get("message")
    if isinstance(message, str):
        yield from ("-m", message)
    for name in _OPTIONS:
        if arguments.get(name) is True or arguments.get("mode") == name:
            yield f"--{name}"
    yield from _values(arguments, _OPERANDS)


def _of_check(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield what a check is limited to, as given."""
    yield from _values(arguments, (*PATH_KEYS, "files", "paths"))
    for name in GIVEN:
        yield from (f"{name}={value}" for value in _values(arguments, (name,)))


def _values(arguments: dict[str, Any], keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        value = arguments.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                yield item
