"""A manifest as JSON, for a file next to the output and for the database.

It contains no text of the session: summaries are left out, and originals are listed by digest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert, to_builtins

from compactor_cli.archive.texts import PREFIX
from compactor_cli.errors import InputError
from compactor_cli.model.archived import Count, Manifest, Removed

VERSION = 1
SUFFIX = ".manifest.json"
T = TypeVar("T")


class _Version(Struct):
    version: Count


def manifest_json(manifest: Manifest) -> dict[str, Any]:
    value = {"version": VERSION, **to_builtins(manifest)}
    for entry in value["rounds"]:
        del entry["summary"]
    return value


def manifest_text(manifest: Manifest) -> bytes:
    """Return a manifest in the layout of its file: one entry per line, easy to read and to compare."""
    value = manifest_json(manifest)
    listed = ("rounds", "removed")
    lines = [f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items() if key not in listed]
    for key in listed:
        entries = ",\n".join(map(json.dumps, value[key]))
        lines.append(f"{json.dumps(key)}: [\n{entries}\n]" if entries else f"{json.dumps(key)}: []")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")


def read_manifest(data: bytes, path: str) -> Manifest:
    """Return the manifest in a file's bytes. Raises InputError if it is not a manifest."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError("not a manifest: not JSON", path=path, line=line) from None
    try:
        version = _read(value, _Version).version
        if version > VERSION:
            raise InputError(f"a manifest of version {version}, but this compactor reads version {VERSION}; update it")
        manifest = _read(value, Manifest)
        _check(manifest.removed)
    except InputError as error:
        raise error.at(path) from None
    return manifest


def removed_json(removed: Sequence[Removed]) -> list[dict[str, Any]]:
    """Return the entries of a manifest as a JSON value."""
    return [to_builtins(entry) for entry in removed]


def removed_of(value: Any) -> tuple[Removed, ...]:
    """Return the entries of a manifest from their JSON value. Raises InputError for an invalid value."""
    removed = _read(value, tuple[Removed, ...])
    _check(removed)
    return removed


def _read(value: Any, kind: type[T]) -> T:
    try:
        return convert(value, kind)
    except (ValidationError, UnicodeEncodeError) as error:  # UnicodeEncodeError: msgspec's error for a lone surrogate
        raise InputError(f"not a manifest: {error}") from None


def _check(removed: Sequence[Removed]) -> None:
    for entry in removed:
        if not entry.reference or not f"{PREFIX}{entry.digest}".startswith(entry.reference):
            raise InputError(f"not a manifest: {entry.reference[:80]!r} is not the reference of {entry.digest}")
