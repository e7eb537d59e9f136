"""The memory log as JSONL: one memory a line, with the version of the form and the keys in one order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from compactor_cli.errors import InputError, UsageError
from compactor_cli.memory.merging import checked
from compactor_cli.model.memory import Memory, MemorySource
from compactor_cli.text.clean import visible

VERSION = 1
_KEYS = frozenset(
    (
        "memory",
        "id",
        "text",
        "category",
        "importance",
        "confidence",
        "tags",
        "sources",
        "created",
        "used",
        "uses",
        "pinned",
        "decayed",
    )
)
_SOURCE_KEYS = frozenset(("transcript", "session", "messages", "ids"))


class _WrongLineError(Exception):
    """What is wrong with a line."""


def memory_json(memory: Memory) -> dict[str, Any]:
    """A memory as its line has it; `memory` is the version of the form."""
    return {
        "memory": VERSION,
        "id": memory.id,
        "text": memory.text,
        "category": memory.category,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "sources": [
            {"transcript": s.transcript, "session": s.session, "messages": list(s.messages), "ids": list(s.ids)}
            for s in memory.sources
        ],
        "created": memory.created,
        "used": memory.used,
        "uses": memory.uses,
        "pinned": memory.pinned,
        "decayed": memory.decayed,
    }


def line_of(memory: Memory) -> str:
    """The line of a memory, with its line break; what commands a terminal or cannot be seen stands there escaped."""
    return visible(json.dumps(memory_json(memory), ensure_ascii=False, allow_nan=False)) + "\n"


def read_lines(data: bytes, path: str) -> Iterator[Memory]:
    """The memories of an export; empty lines are passed over.

    Raises InputError with the line for anything that is not as `line_of` writes it. `id` is for people: it is
    computed from the text. What is missing besides text and created has its usual value.
    """
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _memory(_value(line))
        except (_WrongLineError, UsageError) as error:
            raise InputError(str(error), path=path, line=number) from None


def _value(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _WrongLineError(f"not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise _WrongLineError(f"not JSON: {error}; a line is as `compactor memory export` writes it") from None
    if not isinstance(value, dict):
        raise _WrongLineError("not a JSON object; a memory is one line as `compactor memory export` writes it")
    version = value.get("memory")
    if version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        raise _WrongLineError(
            f'"memory" is {version!r}, a newer form than {VERSION}; update compactor'
            if newer
            else f'not a memory: "memory" must be {VERSION}, the version of the form'
        )
    if unknown := sorted(value.keys() - _KEYS):
        raise _WrongLineError(f"{unknown[0]!r} is no key of a memory")
    return value


def _memory(value: Mapping[str, Any]) -> Memory:
    if "created" not in value:
        raise _WrongLineError('"created" is missing: seconds since 1970')
    return checked(
        Memory(
            text=_text(value, "text", None),
            category=_text(value, "category", "observation"),
            importance=_number(value, "importance", 50.0),
            confidence=_number(value, "confidence", 1.0),
            tags=_texts(value, "tags"),
            sources=_sources(value.get("sources", [])),
            created=_number(value, "created", 0.0),
            used=None if value.get("used") is None else _number(value, "used", 0.0),
            uses=_count(value),
            pinned=_flag(value),
            decayed=None if value.get("decayed") is None else _number(value, "decayed", 0.0),
        )
    )


def _text(value: Mapping[str, Any], key: str, default: str | None) -> str:
    found = value.get(key, default)
    if not isinstance(found, str):
        raise _WrongLineError(f'"{key}" must be a text')
    return found


def _number(value: Mapping[str, Any], key: str, default: float) -> float:
    found = value.get(key, default)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise _WrongLineError(f'"{key}" must be a number')
    try:
        return float(found)
    except OverflowError:
        raise _WrongLineError(f'"{key}" is too large') from None


def _count(value: Mapping[str, Any]) -> int:
    found = value.get("uses", 0)
    if isinstance(found, bool) or not isinstance(found, int):
        raise _WrongLineError('"uses" must be a whole number')
    return found


def _flag(value: Mapping[str, Any]) -> bool:
    found = value.get("pinned", False)
    if not isinstance(found, bool):
        raise _WrongLineError('"pinned" must be true or false')
    return found


def _texts(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = value.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise _WrongLineError(f'"{key}" must be a list of texts')
    return tuple(found)


def _sources(found: Any) -> tuple[MemorySource, ...]:
    if not isinstance(found, list) or not all(isinstance(source, dict) for source in found):
        raise _WrongLineError('"sources" must be a list of objects')
    return tuple(map(_source, found))


def _source(value: Mapping[str, Any]) -> MemorySource:
    if unknown := sorted(value.keys() - _SOURCE_KEYS):
        raise _WrongLineError(f"{unknown[0]!r} is no key of a source")
    messages = value.get("messages", [])
    whole = isinstance(messages, list) and all(isinstance(m, int) and not isinstance(m, bool) for m in messages)
    if not whole:
        raise _WrongLineError('"messages" of a source must be a list of whole numbers')
    return MemorySource(
        _text(value, "transcript", ""), _text(value, "session", ""), tuple(messages), _texts(value, "ids")
    )
