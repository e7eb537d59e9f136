"""Records -> the folder that a session works in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_KEYS = ("cwd", "directory", "workingDirectory", "working_directory")
_HEAD = 50
"""Records in which a session says where it works."""
_DEPTH = 3
"""Levels of objects that are looked into."""


def recorded_folder(records: Sequence[Any], around: Any = None) -> str:
    """Return where the session works, as the first record that says so has it, or the document around them; empty when
    none does. The path is absolute, and as it was written."""
    for index in range(min(_HEAD, len(records))):
        if path := _path_in(records[index], _DEPTH):
            return path
    return _path_in(around, _DEPTH)


def _path_in(value: Any, depth: int) -> str:
    if not isinstance(value, Mapping):
        return ""
    for key in _KEYS:
        path = value.get(key)
        if isinstance(path, str) and (path.startswith("/") or path[1:3] in (":\\", ":/")):
            return path
    inner = (_path_in(item, depth - 1) for item in value.values()) if depth > 1 else ()
    return next(filter(None, inner), "")
