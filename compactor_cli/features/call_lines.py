"""Show calls and results as readable lines: an edit as removed and added lines, a new file as its lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from compactor_cli.features.work.ledger import call_arguments
from compactor_cli.features.work.masked_calls import mask_call_text
from compactor_cli.model.message import Part
from compactor_cli.text.escapes import readable
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later

PATH_ARGUMENTS = ("path", "file_path", "filePath", "filename", "target_file", "notebook_path", "file")
COMMAND_ARGUMENTS = ("command", "cmd", "script", "code", "keystrokes")
_SEARCHES = ("pattern", "query", "regex", "regexp", "search_term", "searchTerm")
REMOVED_MARK, ADDED_MARK = "-| ", "+| "
"""Marks of the lines that an edit removes and adds. Real diffs use other marks, so a diff shown in the session
cannot be mistaken for an edit."""
_OLD_TEXT_KEYS = ("old_string", "old_str", "old_text", "old", "oldText")
_NEW_TEXT_KEYS = ("new_string", "new_str", "new_text", "new", "newText")
_CONTENT_KEYS = ("content", "file_text", "new_source", "contents")
_PATCH_START = "*** Begin Patch"
_PATCHED_FILE = compiled_later(r"^\*\*\* (?:Update|Add) File: ", re.MULTILINE)
_ESCAPED_BREAK, _MIN_BREAKS = "\\n", 3
"""A line break inside a JSON string, and how many of them make a text of several lines."""
_MAX_REINDENTED = 2
"""Maximum number of reindented lines that are part of what an edit does; if there are more, they only surround it."""
_MAX_LABEL = 60
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
    path = _first_string(arguments, PATH_ARGUMENTS)
    if edits:
        return "\n".join([path, *(line for old, new in edits for line in _mark_changes(old, new))]).strip("\n")
    content = _first_string(arguments, _CONTENT_KEYS)
    if path and content:
        return f"{path}\n{content}"
    return readable(json)


def result_lines(text: str) -> str:
    """Return the readable text of a result. JSON around a text of several lines has its escapes resolved."""
    breaks = text.count(_ESCAPED_BREAK) if text[:1] in ("{", "[") else 0
    if breaks < _MIN_BREAKS or breaks <= text.count("\n"):
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
        path = _first_string(arguments, PATH_ARGUMENTS)
        lines = [line for old, new in _edits(arguments) for line in _mark_changes(old, new)]
        lines = lines or _first_string(arguments, _CONTENT_KEYS).split("\n")
        if path and any(lines):
            yield path, lines
            return
        patches = [value for value in (*arguments.values(), _command(arguments)) if isinstance(value, str)]
    patch = next((text for text in patches if _PATCH_START in text), "")
    for piece in _PATCHED_FILE.split(patch)[1:]:
        path, _, body = piece.partition("\n")
        changed = [f"{line[0]}| {line[1:]}" for line in body.split("\n") if line[:1] in ("+", "-") and line[1:].strip()]
        if path.strip() and changed:
            yield path.strip(), changed


def call_label(part: Part) -> str:
    """Return a short label of what a result belongs to: the tool, and in the call what is looked for and the path, or
    else the command."""
    arguments = call_arguments(part)
    sought = subject = ""
    if isinstance(arguments, dict):
        words = (value for value in arguments.values() if isinstance(value, str) and len(value) <= _MAX_LABEL)
        sought = _first_string(arguments, _SEARCHES)
        subject = _first_string(arguments, PATH_ARGUMENTS) or _command(arguments) or next(words, "")
    sought, subject = (mask_call_text(part, text).strip().split("\n")[0] for text in (sought, subject))
    place = short_path(subject) if subject != sought else ""
    if sought and len(sought) + len(place) >= _MAX_LABEL and "/" in place:
        place = f"…/{basename(place)}"
    label = f"{part.name} {f'{sought[:_SOUGHT]} {place}'.strip()[:_MAX_LABEL]}"
    return " ".join(f"{label} ".replace(": ", " ").replace("→", " ").split())


def short_path(text: str) -> str:
    """Return the end of a long path, which is enough to identify a file within a session. Return any other text
    unchanged."""
    if len(text) > _MAX_LABEL and "/" in text and " " not in text:
        return "…/" + "/".join(text.split("/")[-2:])
    return text


def _first_string(arguments: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), "")


def _command(arguments: dict[str, Any]) -> str:
    for key in COMMAND_ARGUMENTS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return str(value[-1]) if value[0] in ("bash", "sh", "zsh") else " ".join(value)
    return ""


def _edits(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the (old, new) texts of a call that replaces text."""
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else (arguments,):
        if isinstance(edit, dict) and any(isinstance(edit.get(key), str) for key in _OLD_TEXT_KEYS):
            yield _first_string(edit, _OLD_TEXT_KEYS), _first_string(edit, _NEW_TEXT_KEYS)


def _mark_changes(old: str, new: str) -> Iterator[str]:
    """Yield removed and added lines with their marks. Lines that are in both texts are left out. If more than a few
    lines were only reindented, these are left out as well. If nothing would remain, all lines are yielded."""
    before, after = ([line for line in text.split("\n") if line.strip()] for text in (old, new))
    common = Counter(before) & Counter(after)
    removed, added = _subtract_lines(before, common), _subtract_lines(after, common)
    reindented = Counter(map(str.strip, removed)) & Counter(map(str.strip, added))
    if reindented.total() > _MAX_REINDENTED:
        removed, added = (
            _subtract_lines(removed, reindented, ignore_indent=True),
            _subtract_lines(added, reindented, ignore_indent=True),
        )
    if not removed and not added:
        removed, added = before, after
    yield from (f"{REMOVED_MARK}{line}" for line in removed)
    yield from (f"{ADDED_MARK}{line}" for line in added)


def _subtract_lines(lines: Iterable[str], removed: Counter[str], *, ignore_indent: bool = False) -> list[str]:
    """Return the lines without the known ones, each removed as often as it is known. `ignore_indent`: ignore
    indentation."""
    remaining = removed.copy()
    rest = []
    for line in lines:
        key = line.strip() if ignore_indent else line
        if remaining[key] > 0:
            remaining[key] -= 1
        else:
            rest.append(line)
    return rest
