"""Texts that a record repeats for display. They are shortened along with the text that they repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from compactor_cli.formats import jsonedit
from compactor_cli.model.message import Path
from compactor_cli.text.json_values import parse_json

_LEFT_OVER = 1_000
"""Characters that names, numbers and short strings may take in addition to the copies."""
_MIN_LONG_CHARS = 200
"""Copies longer than this many characters are worth shortening."""


def shortened_copies(value: Any, value_path: Path, text: str, replacement: str | None = None) -> dict[Path, str]:
    """Return the changes to a value that repeats a result for display, after the result was shortened to `text`.

    `value_path`: path of the value in its record. Long strings are shortened. If most of the value is in many short
    strings (the lines of a patch), the text replaces the whole value. `replacement`: JSON text to use for that, if the
    format requires a value of another kind.
    """
    changes = _shorten_copy(value, value_path, text)
    saved = sum(
        len(jsonedit.dump(value_at(value, path[len(value_path) :]))) - len(new) for path, new in changes.items()
    )
    if len(jsonedit.dump(value)) - saved > len(text) + _LEFT_OVER:
        return {value_path: jsonedit.encode(text) if replacement is None else replacement}
    return changes


def value_at(value: Any, path: Path) -> Any:
    """Return the value at an existing path."""
    for step in path:
        value = value[step]
    return value


def find_at(value: Any, path: Path) -> Any:
    """Return the value at a path; None if the path does not exist or leads into JSON that is stored as a string."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _shorten_copy(value: Any, path: Path, text: str) -> dict[Path, str]:
    """Return changes that shorten the display copies of a result, since they repeat what was cut from the message."""
    if isinstance(value, str):
        if len(value) <= max(_MIN_LONG_CHARS, len(text) // 2):
            return {}
        return {path: jsonedit.encode(text)}
    changes: dict[Path, str] = {}
    for key, member in _members(value):
        changes |= _shorten_copy(member, (*path, key), text if not changes else "[see message.content]")
    return changes


def equal_copies(value: Any, value_path: Path, texts: Mapping[str, str]) -> dict[Path, str]:
    """Return the changes to a value that repeats texts, after these were shortened. `value_path`: path of the value in
    its record. `texts`: old text -> new text."""
    if isinstance(value, str):
        new = value
        for old, shorter in texts.items():
            if len(old) > len(shorter) and old in new:
                new = new.replace(old, shorter)
        return {} if new == value else {value_path: jsonedit.encode(new)}
    changes: dict[Path, str] = {}
    for key, member in _members(value):
        changes |= equal_copies(member, (*value_path, key), texts)
    return changes


def shortened_texts(old_value: Any, new_value: Any) -> dict[str, str]:
    """Return the texts of a call's arguments -> their shortened versions. Arguments may be JSON in a string."""
    old, new = _arguments(old_value), _arguments(new_value)
    texts = {old[key]: new.get(key) for key in old if isinstance(old[key], str)}
    return {text: shortened for text, shortened in texts.items() if isinstance(shortened, str) and shortened != text}


def _arguments(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _members(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the (step, value) pairs of an object or a list; empty for other values."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()
