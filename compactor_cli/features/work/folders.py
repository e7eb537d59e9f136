"""Find the folders in which commands run, and shorten paths relative to the main one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import steps

_NEARLY_ALL = 0.9
_FOLDER_KEYS = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_NO_FOLDER, _NO_PATH = frozenset(_FOLDER_KEYS).isdisjoint, frozenset(PATH_KEYS).isdisjoint
"""True if arguments contain none of these keys, as in most calls."""
_TOLD = compiled_later(
    r"(?:<cwd>|\b(?:current |primary )?working directory(?: is)?:?) *[`'\"]?(/[\w./~+@-]+)",
    re.IGNORECASE,
    ("<cwd>", "working directory"),
)
"""How a harness states the session's working directory."""
_AT_HOME = r"(?:~|\$HOME|\$\{HOME\})/"
_CHANGES = compiled_later(
    rf"(?:^|[;&|(\n]\s*)(?:cd|git\s+-C)\s+((?:/|{_AT_HOME})[\w./~+@-]+|'/[^'\n]+'|\"(?:/|{_AT_HOME})[^\"\n]+\")"
)
_GOING = ("cd", "pushd", "popd")
_LOOKING = ("pwd", "ls")
_USERS = compiled_later(r"(?:\$HOME|\$\{HOME\}|/root|/(?:home|Users)/[^/]+)(?=/|$)")
"""How a path in a user's home folder begins if it is not written with `~`."""


def session_folder(folder: str, messages: Iterable[Message]) -> str:
    """Return the session's working directory without a trailing slash: the one in its records, or else the one
    stated before the first call. Return "" if neither is present."""
    if folder.startswith("/"):
        return folder.rstrip("/")
    for message in messages:
        if message.role == "assistant" or message.origin == "summary":
            break
        if told := _TOLD.search(message.text("text")):
            return told.group(1).rstrip("/.")
    return ""


def main_folder(calls: Iterable[ToolCall]) -> str:
    """Return the folder in which most commands run, without a trailing slash; "" if none is named.

    If no command names a folder, it is the folder shared by nearly all paths in arguments, or a parent from which
    commands name paths.
    """
    named: Counter[str] = Counter()
    paths: list[str] = []
    commands: list[str] = []
    for call in calls:
        folder = _named(call) or _entered(call.command)
        if folder is not None:
            named[folder] += 1
        given = _paths(call)
        paths += [path for path in given if path.startswith("/")]
        commands += [call.command, *(path for path in given if not path.startswith("/"))]
    if named:
        return max(named, key=lambda folder: (named[folder], folder))
    return _lifted(_shared(paths, _NEARLY_ALL), paths, "\n".join(commands))


def _entered(command: str) -> str | None:
    """Return the folder that a command line changes to first; None if it does not change the folder."""
    change = _CHANGES.search(command) if "cd" in command or "-C" in command else None
    if not change:
        return None
    folder = change[1].strip("'\"").rstrip("/")
    return from_user(folder) if folder.startswith("$") else folder


def _lifted(folder: str, paths: Sequence[str], commands: str) -> str:
    """Return the folder relative to which commands name the paths below `folder`: the topmost such parent, or
    `folder` itself."""
    below = next((path.removeprefix(f"{folder}/").split("/")[0] for path in paths if path.startswith(f"{folder}/")), "")
    parts = folder.split("/")
    for depth in range(1, len(parts) - 1):
        rest = parts[depth + 1 :]
        named = rest if len(rest) > 1 else [*rest, below]  # a single name may refer to another folder
        if re.search(rf"(?<![\w/])(?:\./)?{re.escape('/'.join(named))}/", commands):
            return "/".join(parts[: depth + 1])
    return folder


def _paths(call: ToolCall) -> list[str]:
    if not isinstance(call.arguments, dict) or _NO_PATH(call.arguments):
        return []
    values = (call.arguments.get(key) for key in PATH_KEYS)
    return [value for value in values if isinstance(value, str)]


def _shared(paths: Sequence[str], share: float) -> str:
    """Return the deepest folder, of at least two parts, that more than this share of the paths are in. The last two
    parts of a path are not considered."""
    folders: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[1:-2]
        for depth in range(2, len(parts) + 1):
            folders["/".join(parts[:depth])] += 1
    held = [folder for folder, count in folders.items() if count > share * len(paths)]
    return f"/{max(held, key=len)}" if held else ""


def _named(call: ToolCall) -> str:
    if not call.command or not isinstance(call.arguments, dict) or _NO_FOLDER(call.arguments):
        return ""
    values = (call.arguments.get(key) for key in _FOLDER_KEYS)
    return next((value.rstrip("/") for value in values if isinstance(value, str) and value.startswith("/")), "")


def folder_of(call: ToolCall, home: str) -> str:
    """Return the folder that a call names, relative to the main folder."""
    return within("", _named(call), home)


def within(folder: str, target: str, home: str) -> str:
    """Return the folder after changing to `target`, relative to the main folder."""
    if not target or target in ("-", ".", "~"):
        return folder
    if target.startswith(("/", "~", "$HOME", "${HOME}")):
        target = target.rstrip("/")
        target = from_user(target) if target.startswith("$") else target
        return _below(target, home)[1:] if home and lies_in(target, home) else target
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def only_goes(command: str) -> bool:
    """Return whether a command line only changes the folder and lists what is there."""
    goes = command.startswith(_GOING)
    return goes and all(step.words[0] in (*_GOING, *_LOOKING) for step in steps(command))


def gone_to(command: str) -> str:
    """Return the folder that a command line changes to first and stays in, regardless of the outcome of its steps;
    "" if it does not, or may not."""
    if not command.startswith("cd "):
        return ""
    line = steps(command)
    strays = any(step.words[0] in _GOING for step in line[1:]) or any(step.after == "&" for step in line)
    return line[0].words[1] if line[0].after in ("&&", ";") and len(line[0].words) == 2 and not strays else ""


def shortening(paths: Sequence[str], home: str) -> str:
    """Return the prefix to cut from these paths, with its slash: the main folder, or the folder that most paths
    share."""
    rooted = [path for path in paths if path.startswith("/")]
    folder = home or _shared(rooted, 0.5)
    if home.startswith("~"):
        begun = Counter(path.removesuffix(_below(path, home)) for path in rooted if lies_in(path, home))
        folder = begun.most_common(1)[0][0] if begun else home
    return f"{folder}/" if folder else ""


def from_user(path: str) -> str:
    """Return a path with a leading home folder replaced by `~`."""
    return _USERS.sub("~", path, count=1) if _USERS.match(path) else path


def of_user(path: str) -> str:
    """Return the home folder that a path begins with, or ""."""
    found = _USERS.match(path)
    return found.group() if found else ""


def lies_in(path: str, folder: str) -> bool:
    """Return whether a path is a folder or is inside it. One of the two may be written with `~`."""
    if path.startswith("~") is not folder.startswith("~"):
        path, folder = from_user(path), from_user(folder)
    return f"{path}/".startswith(f"{folder}/")


def _below(path: str, folder: str) -> str:
    """Return the rest of a path after a folder that contains it, with the leading slash."""
    return from_user(path)[len(from_user(folder)) :]
