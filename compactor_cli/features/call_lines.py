"""Show calls and results as readable lines: an edit as removed and added lines, a new file as its lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.features.work.told_of_calls import told_of_call
from compactor_cli.model.message import Part
from compactor_cli.text.escapes import readable
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later

PATHS = ("path", "file_path", "filePath", "filename", "target_file", "notebook_path", "file")
COMMANDS = ("command", "cmd", "script", "code", "keystrokes")
_SEARCHES = ("pattern", "query", "regex", "regexp", "search_term", "searchTerm")
REMOVED, ADDED = "-| ", "+| "
"""Marks of the lines that an edit removes and adds. Real diffs use other marks, so a diff shown in the session
cannot be mistaken for an edit."""
_OLD = ("old_string", "old_str", "old_text", "old", "oldText")
_NEW = ("new_string", "new_str", "new_text", "new", "newText")
_CONTENT = ("content", "file_text", "new_source", "contents")
_PATCH_BEGINS = "*** Begin Patch"
_PATCHED = compiled_later(r"^\*\*\* (?:Update|Add) File: ", re.MULTILINE)
_BREAK, _LINES = "\\n", 3
"""A line break inside a JSON string, and how many of them make a text of several lines."""
_FEW_INDENTED = 2
"""Maximum number of reindented lines that are part of what an edit does; if there are more, they only surround it."""
_LABEL = 60
"""Maximum length of the label of a result without the tool."""
_SOUGHT = 40
"""Maximum length of what a search looks for in such a label."""


def call_lines(part: Part, json: str) -> str:
    """Return the text of a call. Arguments that neither edit nor write a file stay JSON, with their escapes
    resolved. `json`: the JSON to use as the part's text."""
    arguments = call_arguments(part)
    if not isinstance(arguments, dict):
        return readable(json)
    edits = list(_edits(arguments))
    path = _first(arguments, PATHS)
    if edits:
        return "\n".join([path, *(line for old, new in edits for line in _changed(old, new))]).strip("\n")
    content = _first(arguments, _CONTENT)
    if path and content:
        return f"{path}\n{content}"
    return readable(json)


def result_lines(text: str) -> str:
    """Return the readable text of a result. JSON around a text of several lines has its escapes resolved."""
    breaks = text.count(_BREAK) if text[:1] in ("{", "[") else 0
    if breaks < _LINES or breaks <= text.count("\n"):
        return text
    try:
        parse_json(text)
    except ValueError:
        return text
    return readable(text)


def changed_lines(part: Part) -> Iterator[tuple[str, list[str]]]:
    """Yield path and lines of each file that a call edits or writes: the `-| ` and `+| ` lines of an edit, or all
    lines of a new file. Yield nothing for other calls."""
    arguments = call_arguments(part)
    if not isinstance(arguments, dict):
        patches = [readable(part.text)]
    else:
        path = _first(arguments, PATHS)
        lines = [line for old, new in _edits(arguments) for line in _changed(old, new)]
        lines = lines or _first(arguments, _CONTENT).split("\n")
        if path and any(lines):
            yield path, lines
            return
        patches = [value for value in (*arguments.values(), _command(arguments)) if isinstance(value, str)]
    patch = next((text for text in patches if _PATCH_BEGINS in text), "")
    for piece in _PATCHED.split(patch)[1:]:
        path, _, body = piece.partition("\n")
        changed = [f"{line[0]}| {line[1:]}" for line in body.split("\n") if line[:1] in ("+", "-") and line[1:].strip()]
        if path.strip() and changed:
            yield path.strip(), changed


def call_label(part: Part) -> str:
    """Return a short label of what a result belongs to: the tool, and in the call what is looked for and the path, or
    else the command."""
    arguments = call_arguments(part)
    sought = about = ""
    if isinstance(arguments, dict):
        words = (value for value in arguments.values() if isinstance(value, str) and len(value) <= _LABEL)
        sought = _first(arguments, _SEARCHES)
        about = _first(arguments, PATHS) or _command(arguments) or next(words, "")
    sought, about = (told_of_call(part, text).strip().split("\n")[0] for text in (sought, about))
    place = short_path(about) if about != sought else ""
    if sought and len(sought) + len(place) >= _LABEL and "/" in place:
        place = f"…/{basename(place)}"
    label = f"{part.name} {f'{sought[:_SOUGHT]} {place}'.strip()[:_LABEL]}"
    return " ".join(f"{label} ".replace(": ", " ").replace("→", " ").split())


def short_path(text: str) -> str:
    """Return the end of a long path, which is enough to identify a file within a session. Return any other text
    unchanged."""
    if len(text) > _LABEL and "/" in text and " " not in text:
        return "…/" + "/".join(text.split("/")[-2:])
    return text


def _first(arguments: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), "")


def _command(arguments: dict[str, Any]) -> str:
    for key in COMMANDS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return str(value[-1]) if value[0] in ("bash", "sh", "zsh") else " ".join(value)
    return ""


def _edits(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the (old, new) texts of a call that replaces text."""
    several = arguments.get("edits")
    for edit in several if isinstance(several, list) else (arguments,):
        if isinstance(edit, dict) and any(isinstance(edit.get(key), str) for key in _OLD):
            yield _first(edit, _OLD), _first(edit, _NEW)


def _changed(old: str, new: str) -> Iterator[str]:
    """Yield removed and added lines with their marks. Lines that are in both texts are left out. If more than a few
    lines were only reindented, these are left out as well. If nothing would remain, all lines are yielded."""
    before, after = ([line for line in text.split("\n") if line.strip()] for text in (old, new))
    both = Counter(before) & Counter(after)
    removed, added = _without(before, both), _without(after, both)
    indented = Counter(map(str.strip, removed)) & Counter(map(str.strip, added))
    if indented.total() > _FEW_INDENTED:
        removed, added = _without(removed, indented, bare=True), _without(added, indented, bare=True)
    if not removed and not added:
        removed, added = before, after
    yield from (f"{REMOVED}{line}" for line in removed)
    yield from (f"{ADDED}{line}" for line in added)


def _without(lines: Iterable[str], known: Counter[str], *, bare: bool = False) -> list[str]:
    """Return the lines without the known ones, each removed as often as it is known. `bare`: ignore indentation."""
    left = known.copy()
    found = []
    for line in lines:
        key = line.strip() if bare else line
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(line)
    return found
