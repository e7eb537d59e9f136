"""A manifest as JSON: for a file beside the output, and for the database.

It holds no text of the session: of summaries only that they were written, of originals their digests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from compactor_cli.archive.texts import PREFIX
from compactor_cli.errors import InputError
from compactor_cli.model.archived import FileState, Loss, Manifest, Removed, Round

VERSION = 1
SUFFIX = ".manifest.json"
"""What is put behind the name of an output."""

_LOSSES: tuple[Loss, ...] = ("shortened", "summarized", "dropped", "repaired")
T = TypeVar("T")


def manifest_json(manifest: Manifest) -> dict[str, Any]:
    """The JSON value of a manifest."""
    return {
        "version": VERSION,
        "input": _file_json(manifest.input),
        "output": _file_json(manifest.output),
        "format": manifest.format,
        "counter": manifest.counter,
        "rounds": [_round_json(one) for one in manifest.rounds],
        "removed": removed_json(manifest.removed),
    }


def manifest_text(manifest: Manifest) -> bytes:
    """A manifest as it stands in its file: an entry a line, so that it can be read and compared."""
    value = manifest_json(manifest)
    lines = [f"{json.dumps(key)}: {_dump(item)}" for key, item in value.items() if key not in ("rounds", "removed")]
    for key in ("rounds", "removed"):
        entries = ",\n".join(map(_dump, value[key]))
        lines.append(f"{json.dumps(key)}: [\n{entries}\n]" if entries else f"{json.dumps(key)}: []")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8")


def read_manifest(data: bytes, path: str) -> Manifest:
    """The manifest in a file's bytes. Raises InputError for anything else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError("is no manifest: it is not JSON", path=path, line=line) from None
    try:
        return _manifest(value)
    except InputError as error:
        raise error.at(path) from None


def removed_json(removed: Sequence[Removed]) -> list[dict[str, Any]]:
    """The entries of a manifest as a JSON value."""
    return [
        {
            "reference": one.reference,
            "sha256": one.digest,
            "loss": one.loss,
            "kind": one.kind,
            "conversation": one.conversation,
            "messages": list(one.messages),
            "records": list(one.records),
            "role": one.role,
            "tokens": one.tokens,
            "reason": one.reason,
            "marked": one.marked,
        }
        for one in removed
    ]


def removed_of(value: Any) -> tuple[Removed, ...]:
    """The entries of a manifest from their JSON value. Raises InputError."""
    return tuple(_each(value, "removed", _removed))


def _manifest(value: Any) -> Manifest:
    version = _get(value, "version", int)
    if version > VERSION:
        raise InputError(f"is a manifest of version {version}; update compactor, which knows version {VERSION}")
    return Manifest(
        input=_file(_get(value, "input", dict)),
        output=_file(_get(value, "output", dict)),
        format=_get(value, "format", str),
        counter=_get(value, "counter", str),
        rounds=tuple(_each(_get(value, "rounds", list), "rounds", _round)),
        removed=removed_of(_get(value, "removed", list)),
    )


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(", ", ": "))


def _file_json(state: FileState) -> dict[str, Any]:
    return {"path": state.path, "sha256": state.sha256, "bytes": state.size}


def _file(value: Any) -> FileState:
    return FileState(_get(value, "path", str), _digest(value), _get(value, "bytes", int))


def _round_json(one: Round) -> dict[str, Any]:
    return {
        "conversation": one.conversation,
        "session": one.session,
        "round": one.round,
        "strategy": one.strategy,
        "summarizer": one.summarizer,
        "target_tokens": one.target,
        "tokens_before": one.tokens_before,
        "tokens_after": one.tokens_after,
        "messages_before": one.messages_before,
        "messages_after": one.messages_after,
        "compacted": list(one.compacted),
    }


def _round(value: Any) -> Round:
    target = value.get("target_tokens") if isinstance(value, dict) else None
    return Round(
        conversation=_get(value, "conversation", int),
        session=_get(value, "session", str),
        round=_get(value, "round", int),
        strategy=_get(value, "strategy", str),
        summarizer=_get(value, "summarizer", str),
        target=None if target is None else _get(value, "target_tokens", int),
        tokens_before=_get(value, "tokens_before", int),
        tokens_after=_get(value, "tokens_after", int),
        messages_before=_get(value, "messages_before", int),
        messages_after=_get(value, "messages_after", int),
        summary="",
        compacted=tuple(_list(value, "compacted", str)),
    )


def _removed(value: Any) -> Removed:
    digest, reference = _digest(value), _get(value, "reference", str)
    if not reference or not f"{PREFIX}{digest}".startswith(reference):
        raise InputError(f"is no manifest: {reference[:80]!r} is not the reference of {digest}")
    return Removed(
        reference=reference,
        digest=digest,
        loss=_word(value, "loss", _LOSSES),
        kind=_word(value, "kind", ("text", "records")),
        conversation=_get(value, "conversation", int),
        messages=tuple(_list(value, "messages", int)),
        records=tuple(_list(value, "records", int)),
        role=_get(value, "role", str),
        tokens=_get(value, "tokens", int),
        reason=_get(value, "reason", str),
        marked=_get(value, "marked", bool),
    )


def _get(value: Any, key: str, kind: type[T]) -> T:
    """Return what a key has, where it is of the kind; numbers are not negative."""
    found = value.get(key) if isinstance(value, dict) else None
    if type(found) is not kind or (isinstance(found, int) and found < 0):
        raise InputError(f"is no manifest: {key!r} is missing, or not what it has to be")
    return found


def _list(value: Any, key: str, kind: type[T]) -> list[T]:
    found = _get(value, key, list)
    if any(type(item) is not kind or (isinstance(item, int) and item < 0) for item in found):
        raise InputError(f"is no manifest: {key!r} holds something that it must not")
    return found


def _each(value: Any, key: str, read: Callable[[Any], T]) -> list[T]:
    if not isinstance(value, list):
        raise InputError(f"is no manifest: {key!r} is no list")
    return [read(item) for item in value]


def _word(value: Any, key: str, allowed: Sequence[T]) -> T:
    found = _get(value, key, str)
    for word in allowed:
        if word == found:
            return word
    raise InputError(f"is no manifest: {key!r} is {found[:80]!r}; it can be {', '.join(map(str, allowed))}")


def _digest(value: Any) -> str:
    found = _get(value, "sha256", str)
    if len(found) != 64 or set(found) - set("0123456789abcdef"):
        raise InputError("is no manifest: 'sha256' is no SHA-256 in 64 hex digits")
    return found
