"""A manifest as JSON: for a file beside the output, and for the database.

It holds no text of the session: of summaries only that they were written, of originals their digests.
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
"""What is put behind the name of an output."""
T = TypeVar("T")


class _Version(Struct):
    version: Count


def manifest_json(manifest: Manifest) -> dict[str, Any]:
    """Return the JSON value of a manifest."""
    value = {"version": VERSION, **to_builtins(manifest)}
    for entry in value["rounds"]:
        del entry["summary"]
    return value


def manifest_text(manifest: Manifest) -> bytes:
    """Return a manifest as it stands in its file: an entry a line, so that it can be read and compared."""
    value = manifest_json(manifest)
    lines = [
        f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items() if key not in ("rounds", "removed")
    ]
    for key in ("rounds", "removed"):
        entries = ",\n".join(map(json.dumps, value[key]))
        lines.append(f"{json.dumps(key)}: [\n{entries}\n]" if entries else f"{json.dumps(key)}: []")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")


def read_manifest(data: bytes, path: str) -> Manifest:
    """Return the manifest in a file's bytes. Raises InputError for anything else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError("is no manifest: it is not JSON", path=path, line=line) from None
    try:
        version = _read(value, _Version).version
        if version > VERSION:
            raise InputError(f"is a manifest of version {version}; update compactor, which knows version {VERSION}")
        manifest = _read(value, Manifest)
        _check(manifest.removed)
    except InputError as error:
        raise error.at(path) from None
    return manifest


def removed_json(removed: Sequence[Removed]) -> list[dict[str, Any]]:
    """Return the entries of a manifest as a JSON value."""
    return [to_builtins(entry) for entry in removed]


def removed_of(value: Any) -> tuple[Removed, ...]:
    """Return the entries of a manifest from their JSON value. Raises InputError."""
    removed = _read(value, tuple[Removed, ...])
    _check(removed)
    return removed


def _read(value: Any, kind: type[T]) -> T:
    try:
        return convert(value, kind)
    except (ValidationError, UnicodeEncodeError) as error:  # the second is msgspec's for half a character
        raise InputError(f"is no manifest: {error}") from None


def _check(removed: Sequence[Removed]) -> None:
    for entry in removed:
        if not entry.reference or not f"{PREFIX}{entry.digest}".startswith(entry.reference):
            raise InputError(f"is no manifest: {entry.reference[:80]!r} is not the reference of {entry.digest}")
