"""Files that git certainly restored: nothing in the command line leaves open whether, where and from what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import join, normpath

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.folders import folder_of, lies_in
from compactor_cli.features.work.git_files import folder_option, past_options
from compactor_cli.features.work.ledger import every_action
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, steps

_OPEN = compiled_later(r"[(`$]|(?:^|[;&|\n]\s*)(?:if|for|while|until|case|pushd|popd|set|alias)\b")
"""Parts of a command line that make it uncertain whether a step ran, and where."""
_NOT_RESTORED = compiled_later(r"\b(?:error|fatal): |^Updated 0 paths |Another git process", re.MULTILINE)
_SURE = ("read", "restored", "checked", "inside")
"""What the other steps may do to files and to their changes."""
_LOOKS = ("status", "diff", "log", "show", "branch", "rev-parse", "ls-files", "blame")
_ASIDE = ("-q", "--quiet", "-W", "--worktree")
_HEAD: tuple[list[str], ...] = ([], ["HEAD"], ["@"])
_PATTERN = compiled_later(r"[*?\[:!^{~]")
"""Characters of something other than a plain path: a pattern, a special form of git, or a home folder."""


def restored_places(call: ToolCall) -> list[str]:
    """Return the files and folders that git restored; none if this is uncertain. It is uncertain if they are
    unknown, if git may have failed or restored a later state than that at the session's start, or if the command
    line does more."""
    line = steps(call.command)
    actions = every_action(call.tool, call.arguments)
    if _OPEN.search(call.command) or _NOT_RESTORED.search(call.said) or any(did not in _SURE for _, did in actions):
        return []
    folder = folder_of(call, "")
    places: list[str] = []
    for at, step in enumerate(line):
        if step.after in ("||", "&"):
            return []
        if step.words[0] == "cd":
            folder = join(folder, "".join(step.words[1:]) or "..")
        elif step.words[0] == "git" and past_options(step.words[1:])[:1] not in [[look] for look in _LOOKS]:
            taken = _taken(step.words[1:]) if _runs(line, at) else []
            here = normpath(join(folder, folder_option(step.words[1:])))
            if not taken or _PATTERN.search(here):
                return []
            places += [normpath(join(here, path)) for path in taken]
    return [] if any(place.startswith("..") for place in places) else places


def _runs(line: Sequence[Step], at: int) -> bool:
    """Return whether a step must have run if the whole line succeeded."""
    before = line[at - 1].after if at else ";"
    return before == ";" or (before == "&&" and all(step.after in ("&&", "") for step in line[at:]))


def _taken(arguments: Sequence[str]) -> list[str]:
    """Return the paths that git restores from its index or the newest commit; none if they may come from elsewhere."""
    words = list(arguments[2:] if folder_option(arguments) else arguments)
    verb, rest = words[0] if words else "", [word for word in words[1:] if word not in _ASIDE]
    ended = rest.index("--") if "--" in rest else -1
    if verb == "checkout" and ended >= 0:
        paths = rest[ended + 1 :] if rest[:ended] in _HEAD else []
    elif verb == "checkout":
        paths = rest[1:] if rest[:1] in _HEAD else rest
    else:
        paths = [word for word in rest if word != "--"] if verb == "restore" else []
    sure = not any(path.startswith("-") or _PATTERN.search(path) or normpath(path) == "." for path in paths)
    return paths if sure else []


def is_restored(path: str, place: str) -> bool:
    """Return whether a file, by the path it was changed under, is certainly within a place. If the path is relative,
    it is unknown whether the file is in a folder given by an absolute path."""
    if place.startswith("/") or not (path.startswith(("/", "~")) or path[1:2] == ":"):
        return lies_in(normpath(path), place)
    return f"/{place}/" in f"{path}/"
