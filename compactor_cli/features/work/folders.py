"""Find the folders in which commands run, and shorten paths relative to the main one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later

_MAIN_FOLDER_SHARE = 0.9
_FOLDER_KEYS = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_NO_FOLDER, _NO_PATH = frozenset(_FOLDER_KEYS).isdisjoint, frozenset(PATH_KEYS).isdisjoint
"""True if arguments contain none of these keys, as in most calls."""
_STATED_FOLDER = compiled_later(
    r"(?:<cwd>|\b(?:current |primary )?working directory(?: is)?:?) *[`'\"]?(/[\w./~+@-]+)",
    re.IGNORECASE,
    ("<cwd>", "working directory"),
)
"""How a harness states the session's working directory."""
_HOME_PREFIX = r"(?:~|\$HOME|\$\{HOME\})/"
_FOLDER_CHANGE = compiled_later(
    rf"(?:^|[;&|(\n]\s*)(?:cd|git\s+-C)\s+((?:/|{_HOME_PREFIX})[\w./~+@-]+|'/[^'\n]+'|\"(?:/|{_HOME_PREFIX})[^\"\n]+\")"
)
_USER_HOME = compiled_later(r"(?:\$HOME|\$\{HOME\}|/root|/(?:home|Users)/[^/]+)(?=/|$)")
"""How a path in a user's home folder begins if it is not written with `~`."""


def session_folder(folder: str, messages: Iterable[Message]) -> str:
    """Return the session's working directory without a trailing slash: the one in its records, or else the one
    stated before the first call. Return "" if neither is present."""
    if folder.startswith("/"):
        return folder.rstrip("/")
    for message in messages:
        if message.role == "assistant" or message.origin == "summary":
            break
        if stated := _STATED_FOLDER.search(message.text("text")):
            return stated.group(1).rstrip("/.")
    return ""


def find_main_folder(calls: Iterable[ToolCall]) -> str:
    """Return the folder in which most commands run, without a trailing slash; "" if none is named.

    If no command names a folder, it is the folder shared by nearly all paths in arguments, or a parent from which
    commands name paths.
    """
    folder_counts: Counter[str] = Counter()
    paths: list[str] = []
    commands: list[str] = []
    for call in calls:
        folder = _folder_argument(call) or _first_folder_change(call.command)
        if folder is not None:
            folder_counts[folder] += 1
        path_arguments = _path_arguments(call)
        paths += [path for path in path_arguments if path.startswith("/")]
        commands += [call.command, *(path for path in path_arguments if not path.startswith("/"))]
    if folder_counts:
        return max(folder_counts, key=lambda folder: (folder_counts[folder], folder))
    return _reference_folder(_deepest_shared_folder(paths, _MAIN_FOLDER_SHARE), paths, "\n".join(commands))


def _first_folder_change(command: str) -> str | None:
    """Return the folder that a command line changes to first; None if it does not change the folder."""
    change = _FOLDER_CHANGE.search(command) if "cd" in command or "-C" in command else None
    if not change:
        return None
    folder = change[1].strip("'\"").rstrip("/")
    return with_home_as_tilde(folder) if folder.startswith("$") else folder


def _reference_folder(folder: str, paths: Sequence[str], command_text: str) -> str:
    """Return the folder relative to which commands name the paths below `folder`: the topmost such parent, or
    `folder` itself."""
    first_below = next(
        (path.removeprefix(f"{folder}/").split("/")[0] for path in paths if path.startswith(f"{folder}/")), ""
    )
    parts = folder.split("/")
    for depth in range(1, len(parts) - 1):
        lower_parts = parts[depth + 1 :]
        # a single name may refer to another folder
        referred = lower_parts if len(lower_parts) > 1 else [*lower_parts, first_below]
        if re.search(rf"(?<![\w/])(?:\./)?{re.escape('/'.join(referred))}/", command_text):
            return "/".join(parts[: depth + 1])
    return folder


def _path_arguments(call: ToolCall) -> list[str]:
    if not isinstance(call.arguments, dict) or _NO_PATH(call.arguments):
        return []
    values = (call.arguments.get(key) for key in PATH_KEYS)
    return [value for value in values if isinstance(value, str)]


def _deepest_shared_folder(paths: Sequence[str], share: float) -> str:
    """Return the deepest folder, of at least two parts, that more than this share of the paths are in. The last two
    parts of a path are not considered."""
    folders: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[1:-2]
        for depth in range(2, len(parts) + 1):
            folders["/".join(parts[:depth])] += 1
    common = [folder for folder, count in folders.items() if count > share * len(paths)]
    return f"/{max(common, key=len)}" if common else ""


def _folder_argument(call: ToolCall) -> str:
    if not call.command or not isinstance(call.arguments, dict) or _NO_FOLDER(call.arguments):
        return ""
    values = (call.arguments.get(key) for key in _FOLDER_KEYS)
    return next((value.rstrip("/") for value in values if isinstance(value, str) and value.startswith("/")), "")


def folder_of(call: ToolCall, main_folder: str) -> str:
    """Return the folder that a call names, relative to the main folder."""
    return within("", _folder_argument(call), main_folder)


def within(folder: str, target: str, main_folder: str) -> str:
    """Return the folder after changing to `target`, relative to the main folder."""
    if not target or target in ("-", ".", "~"):
        return folder
    if target.startswith(("/", "~", "$HOME", "${HOME}")):
        target = target.rstrip("/")
        target = with_home_as_tilde(target) if target.startswith("$") else target
        return _path_below(target, main_folder)[1:] if main_folder and is_inside(target, main_folder) else target
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def prefix_to_cut(paths: Sequence[str], main_folder: str) -> str:
    """Return the prefix to cut from these paths, with its slash: the main folder, or the folder that most paths
    share."""
    rooted = [path for path in paths if path.startswith("/")]
    folder = main_folder or _deepest_shared_folder(rooted, 0.5)
    if main_folder.startswith("~"):
        prefixes = Counter(
            path.removesuffix(_path_below(path, main_folder)) for path in rooted if is_inside(path, main_folder)
        )
        folder = prefixes.most_common(1)[0][0] if prefixes else main_folder
    return f"{folder}/" if folder else ""


def with_home_as_tilde(path: str) -> str:
    """Return a path with a leading home folder replaced by `~`."""
    return _USER_HOME.sub("~", path, count=1) if _USER_HOME.match(path) else path


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or is inside it. One of the two may be written with `~`."""
    if path.startswith("~") is not folder.startswith("~"):
        path, folder = with_home_as_tilde(path), with_home_as_tilde(folder)
    return f"{path}/".startswith(f"{folder}/")


def _path_below(path: str, folder: str) -> str:
    """Return the rest of a path after a folder that contains it, with the leading slash."""
    return with_home_as_tilde(path)[len(with_home_as_tilde(folder)) :]
