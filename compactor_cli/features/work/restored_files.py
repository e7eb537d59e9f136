"""Files that git certainly restored: nothing in the command line leaves open whether, where and from what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import join, normpath

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.folders import folder_of, is_inside
from compactor_cli.features.work.git_files import folder_option, without_global_options
from compactor_cli.features.work.ledger import every_action
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, parse_steps

_UNCERTAIN_SYNTAX = compiled_later(r"[(`$]|(?:^|[;&|\n]\s*)(?:if|for|while|until|case|pushd|popd|set|alias)\b")
"""Parts of a command line that make it uncertain whether a step ran, and where."""
_NOT_RESTORED = compiled_later(r"\b(?:error|fatal): |^Updated 0 paths |Another git process", re.MULTILINE)
_HARMLESS_ACTIONS = ("read", "restored", "checked", "inside")
"""What the other steps may do to files and to their changes."""
_LOOKING_VERBS = ("status", "diff", "log", "show", "branch", "rev-parse", "ls-files", "blame")
_IGNORED_OPTIONS = ("-q", "--quiet", "-W", "--worktree")
_HEAD_NAMES: tuple[list[str], ...] = ([], ["HEAD"], ["@"])
_SPECIAL_CHARACTERS = compiled_later(r"[*?\[:!^{~]")
"""Characters of something other than a plain path: a pattern, a special form of git, or a home folder."""


def restored_paths(call: ToolCall) -> list[str]:
    """Return the files and folders that git restored; none if this is uncertain. It is uncertain if they are
    unknown, if git may have failed or restored a later state than that at the session's start, or if the command
    line does more."""
    line = parse_steps(call.command)
    actions = every_action(call.tool, call.arguments)
    if (
        _UNCERTAIN_SYNTAX.search(call.command)
        or _NOT_RESTORED.search(call.output)
        or any(action not in _HARMLESS_ACTIONS for _, action in actions)
    ):
        return []
    folder = folder_of(call, "")
    restored: list[str] = []
    for index, step in enumerate(line):
        if step.operator in ("||", "&"):
            return []
        if step.words[0] == "cd":
            folder = join(folder, "".join(step.words[1:]) or "..")
        elif step.words[0] == "git" and without_global_options(step.words[1:])[:1] not in [
            [look] for look in _LOOKING_VERBS
        ]:
            paths = _paths_restored_by(step.words[1:]) if _is_certain_to_run(line, index) else []
            git_folder = normpath(join(folder, folder_option(step.words[1:])))
            if not paths or _SPECIAL_CHARACTERS.search(git_folder):
                return []
            restored += [normpath(join(git_folder, path)) for path in paths]
    return [] if any(place.startswith("..") for place in restored) else restored


def _is_certain_to_run(line: Sequence[Step], index: int) -> bool:
    """Return whether a step must have run if the whole line succeeded."""
    connector = line[index - 1].operator if index else ";"
    return connector == ";" or (connector == "&&" and all(step.operator in ("&&", "") for step in line[index:]))


def _paths_restored_by(arguments: Sequence[str]) -> list[str]:
    """Return the paths that git restores from its index or the newest commit; none if they may come from elsewhere."""
    words = list(arguments[2:] if folder_option(arguments) else arguments)
    verb, rest = words[0] if words else "", [word for word in words[1:] if word not in _IGNORED_OPTIONS]
    separator = rest.index("--") if "--" in rest else -1
    if verb == "checkout" and separator >= 0:
        paths = rest[separator + 1 :] if rest[:separator] in _HEAD_NAMES else []
    elif verb == "checkout":
        paths = rest[1:] if rest[:1] in _HEAD_NAMES else rest
    else:
        paths = [word for word in rest if word != "--"] if verb == "restore" else []
    is_certain = not any(
        path.startswith("-") or _SPECIAL_CHARACTERS.search(path) or normpath(path) == "." for path in paths
    )
    return paths if is_certain else []


def is_restored(path: str, restored: str) -> bool:
    """Return whether a file, by the path it was changed under, is certainly within a place. If the path is relative,
    it is unknown whether the file is in a folder given by an absolute path."""
    if restored.startswith("/") or not (path.startswith(("/", "~")) or path[1:2] == ":"):
        return is_inside(normpath(path), restored)
    return f"/{restored}/" in f"{path}/"
