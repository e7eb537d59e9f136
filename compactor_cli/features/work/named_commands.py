"""Tools named after the command that they run, or after the program whose arguments they take: `git_commit`,
`run_tests`, `kubectl`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from compactor_cli.features.work.checks import LIMIT_ARGUMENTS
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.features.work.programs import CHECKERS, check_kind_by_name
from compactor_cli.features.work.remote_steps import REMOTE_PROGRAMS, is_acting_command
from compactor_cli.features.work.tool_names import is_trial_call, tool_words
from compactor_cli.text.shell import word_set

_GIT_VERBS = word_set("commit push pull add reset merge rebase revert cherry-pick checkout")
"""Git commands that tools are named after and that change something without a further verb."""
_FOLDER_KEYS = ("repo_path", "repoPath", "repository_path", "cwd", "workdir", "working_directory", "workingDirectory")
_OPTION_KEYS = ("amend", "force", "hard", "tags", "abort")
_OPERAND_KEYS = (
    *("remote", "branch", "branch_name", "branchName", "branchOrPath", "target", "ref", "commit", "commitRef"),
    *("revision", "files", "paths"),
)
_PROGRAMS = CHECKERS | REMOTE_PROGRAMS
_WRAPPING_WORDS = word_set("run execute exec call invoke cli command cmd tool")
"""Words that may surround the program in a tool's name: `run_kubectl`, `aws_cli`."""
_COMMAND_LINE_KEYS = ("args", "arguments", "argv", "command_line", "commandLine", "cmdline")
"""Names of arguments with a program's command line, without the program."""
_VERB_KEYS = ("subcommand", "subCommand", "sub_command", "command", "cmd", "verb")
"""Names of arguments with the first word of a command line, if it is separate; `command` may be the whole line."""


def named_command(tool: str, arguments: Any, typed_command: str) -> tuple[str, dict[str, str]]:
    """Return the command that a tool runs, derived from its name and arguments, with the arguments that a shell tool
    would take. Return ("", {}) for a tool that is not named like a command. `typed_command`: what looks like a shell
    command in the arguments; it may lack the program."""
    if not isinstance(arguments, dict):
        return "", {}
    verb = _git_verb(tool)
    if not typed_command and (verb or _is_check_tool(tool)):
        command = shlex.join(
            ["git", verb, *_git_arguments(arguments)] if verb else [tool, *_check_arguments(arguments)]
        )
    elif not (command := _command_line(_program_in_name(tool), arguments)):
        return "", {}
    folder = next((arguments[key] for key in _FOLDER_KEYS if isinstance(arguments.get(key), str)), "")
    return command, {"command": command, **({"cwd": folder} if folder else {})}


@lru_cache(maxsize=1024)  # a session calls the same few tools many times
def _git_verb(tool: str) -> str:
    words = tool_words(tool)
    verb = "-".join(words[1:])
    return verb if words[:1] == ("git",) and verb in _GIT_VERBS else ""


@lru_cache(maxsize=1024)
def _is_check_tool(tool: str) -> bool:
    return check_kind_by_name(tool) is not None


@lru_cache(maxsize=1024)
def _program_in_name(tool: str) -> str:
    """Return the program that a tool is named after."""
    full_name = tool.lower().replace("_", "-")
    own_words = [word for word in tool_words(tool) if word not in _WRAPPING_WORDS]
    return next((name for name in (full_name, *(own_words if len(own_words) == 1 else ())) if name in _PROGRAMS), "")


def _command_line(program: str, arguments: dict[str, Any]) -> str:
    """Return the command line of a program whose arguments a call gives as they would be typed; "" if it does not."""
    if not program or is_trial_call(arguments):
        return ""
    rest = next(filter(None, (_as_typed(arguments.get(key)) for key in _COMMAND_LINE_KEYS)), "")
    verb = next(filter(None, (_as_typed(arguments.get(key)) for key in _VERB_KEYS)), "")
    is_whole_line = not rest and (" " in verb or len(arguments) == 1)
    if not rest and not (is_whole_line and is_acting_command(program, verb.split())):
        return ""
    return " ".join(filter(None, ["" if f"{verb or rest} ".startswith(f"{program} ") else program, verb, rest]))


def _as_typed(value: object) -> str:
    """Return words of a command line as they would be typed."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value.strip() if isinstance(value, str) else ""


def _git_arguments(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield options and operands of a git command."""
    message = arguments.get("message")
    if isinstance(message, str):
        yield from ("-m", message)
    for name in _OPTION_KEYS:
        if arguments.get(name) is True or arguments.get("mode") == name:
            yield f"--{name}"
    yield from _string_values(arguments, _OPERAND_KEYS)


def _check_arguments(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield what a check is limited to, as given."""
    yield from _string_values(arguments, (*PATH_KEYS, "files", "paths"))
    for name in LIMIT_ARGUMENTS:
        yield from (f"{name}={value}" for value in _string_values(arguments, (name,)))


def _string_values(arguments: dict[str, Any], keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        value = arguments.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                yield item
