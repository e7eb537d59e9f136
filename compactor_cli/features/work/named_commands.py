"""Tools that are named like the command that they run: `git_commit`, `run_tests`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.features.work.checks import GIVEN
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.features.work.programs import kind_by_name
from compactor_cli.text.shell import word_set

_GIT = word_set("commit push pull add reset merge rebase revert cherry-pick checkout")
"""Commands of git that tools are named after, which change something without a word that says what they are to do."""
_FOLDERS = ("repo_path", "repoPath", "repository_path", "cwd", "workdir", "working_directory", "workingDirectory")
_OPTIONS = ("amend", "force", "hard", "tags", "abort")
_OPERANDS = (
    *("remote", "branch", "branch_name", "branchName", "branchOrPath", "target", "ref", "commit", "commitRef"),
    *("revision", "files", "paths"),
)


def named_command(tool: str, arguments: Any) -> tuple[str, dict[str, str]]:
    """Return the command that a tool runs, by its name and arguments, with the arguments of a shell that would do so;
    an empty one for a tool that is not called like a command."""
    verb = _git_verb(tool)
    if not (verb or _checks(tool)) or not isinstance(arguments, dict):
        return "", {}
    words = ["git", verb, *_of_git(arguments)] if verb else [tool, *_of_check(arguments)]
    command = shlex.join(words)
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


def _of_git(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield options and operands of a command of git."""
    message = arguments.get("message")
    if isinstance(message, str):
        yield from ("-m", message)
    for name in _OPTIONS:
        if arguments.get(name) is True or arguments.get("mode") == name:
            yield f"--{name}"
    yield from _values(arguments, _OPERANDS)


def _of_check(arguments: dict[str, Any]) -> Iterator[str]:
    """Yield what a check is limited to, as it was given."""
    yield from _values(arguments, (*PATH_KEYS, "files", "paths"))
    for name in GIVEN:
        yield from (f"{name}={value}" for value in _values(arguments, (name,)))


def _values(arguments: dict[str, Any], keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        value = arguments.get(key)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                yield item
