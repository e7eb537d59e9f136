"""Changes to files made by patches and by code, both in command lines and where agents run code instead of calling
tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.text.patterns import compiled_later

_WRITE_OR_ASSIGN = compiled_later(
    r"^[ \t]*(?P<name>\w+)[ \t]*=[ \t]*(?:pathlib\.)?(?:Path\([ \t]*)?r?(?P<q>['\"])(?P<value>[^'\"\n]+)(?P=q)"
    r"\)?[ \t]*(?:;[ \t]*)?$"
    r"|\bopen\(\s*r?(?:(?P<o>['\"])(?P<path>[^'\"\n]+)(?P=o)|(?P<variable>\w+))\s*,"
    r"\s*(?:mode\s*=\s*)?['\"](?P<mode>[wax])"
    r"|\bPath\(\s*r?(?P<p>['\"])(?P<wrote>[^'\"\n]+)(?P=p)\s*\)\.write_(?:text|bytes)\("
    r"|\b(?P<object>\w+)\.write_(?:text|bytes)\("
    r"|\bwriteFileSync\(\s*(?P<j>['\"`])(?P<js>[^'\"`\n]+)(?P=j)",
    re.MULTILINE,
)
"""Code that writes a file, or that assigns a path to a name."""
_READ_CALL = compiled_later(r"\.read\w*\(|\bload\w*\(|\breadFile")
"""Code that reads files, most likely including those that it writes."""
_CALL_WITH_STRING = compiled_later(
    r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?(?:await[ \t]+|print\([ \t]*)?(?P<name>[a-z]+_[a-z_]*)\(\s*(?:\w+\s*=\s*)?r?"
    r"(['\"])(?P<path>[^'\"\n]+)\2",
    re.MULTILINE | re.IGNORECASE,
)
"""A function call whose first argument is a string. Methods such as `text.replace("a", "b")` do not match."""
_PATH_SHAPE = compiled_later(r"/|\.\w{1,8}$")
"""What makes a string a path: a folder or a file extension."""
_PATCH = compiled_later(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_DIFF = compiled_later(r"^--- (?:a/)?(\S+).*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_PATCH_ACTIONS = {"Add": "created", "Update": "edited", "Delete": "deleted"}


def written_files(code: str) -> Iterator[tuple[str, str]]:
    """Yield (path, action) of the files that a piece of code writes, if their names are in the code."""
    if "open(" not in code and ".write_" not in code and "writeFile" not in code:
        return
    names: dict[str, str] = {}
    reads_files = _READ_CALL.search(code) is not None
    for match in _WRITE_OR_ASSIGN.finditer(code):
        if match["name"]:
            names[match["name"]] = match["value"]
            continue
        assigned = names.get(match["variable"] or match["object"] or "", "")
        path = match["path"] or match["wrote"] or match["js"] or assigned
        yield path, "edited" if reads_files or match["mode"] == "a" else "written"


def path_calls(code: str) -> Iterator[tuple[str, str]]:
    """Yield (name, path) of functions that a piece of code calls with a path as the first argument. Agents call
    tools this way if they have them as functions: `edit_file("a.py", ...)`."""
    for match in _CALL_WITH_STRING.finditer(code):
        if _PATH_SHAPE.search(match["path"]):
            yield match["name"], match["path"]


def patched_files(text: str) -> Iterator[tuple[str, str]]:
    """Yield (path, action) for the files of the patches in a text: the patch format of agents, and unified diffs."""
    if "*** " in text:
        yield from ((path.strip(), _PATCH_ACTIONS[verb]) for verb, path in _PATCH.findall(text))
    if "\n+++ " in text:
        for old, new in _DIFF.findall(text):
            action = "created" if old == "/dev/null" else "deleted" if new == "/dev/null" else "edited"
            yield (old if action == "deleted" else new), action
