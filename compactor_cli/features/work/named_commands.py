"""Tools named after the command that they run: `git_commit`, `run_tests`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from compactor_cli.features.work.checks import LIMIT_ARGUMENTS
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.features.work.programs import check_kind_by_name
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.shell import word_set

_GIT_VERBS = word_set("commit push pull add reset merge rebase revert cherry-pick checkout")
"""Git commands that tools are named after and that change something without a further verb."""
_FOLDER_KEYS = ("repo_path", "repoPath", "repository_path", "cwd", "workdir", "working_directory", "workingDirectory")
_OPTION_KEYS = ("amend", "force", "hard", "tags", "abort")
_OPERAND_KEYS = (
    *("remote", "branch", "branch_name", "branchName", "branchOrPath", "target", "ref", "commit", "commitRef"),
    *("revision", "files", "paths"),
)


def named_command(tool: str, arguments: Any, typed_command: str) -> tuple[str, dict[str, str]]:
    """Return the command that a tool runs, derived from its name and arguments, with the arguments that a shell tool
    would take. Return ("", {}) for a tool that is not named like a command. `typed_command`: what looks like a shell
    command in the arguments; it may lack the program."""
    if not isinstance(arguments, dict):
        return "", {}
    verb = _git_verb(tool)
    if typed_command or not (verb or _is_check_tool(tool)):
        return "", {}
    command = shlex.join(["git", verb, *_git_arguments(arguments)] if verb else [tool, *_check_arguments(arguments)])
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
