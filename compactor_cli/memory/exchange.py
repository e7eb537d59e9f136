"""The memory log as JSONL: one memory per line, with a version number and a fixed order of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from compactor_cli.errors import InputError, UsageError
from compactor_cli.memory.merging import check_memory
from compactor_cli.model.memory import Memory
from compactor_cli.text.clean import visible

VERSION = 1
_DEFAULTS = {"category": "observation", "importance": 50.0, "confidence": 1.0}


def memory_json(memory: Memory) -> dict[str, Any]:
    """Return the JSON value of a memory's line; its key `memory` holds the version."""
    return {"memory": VERSION, "id": memory.id, **to_builtins(memory)}


def line_of(memory: Memory) -> str:
    """Return the line of a memory with its line break; control and invisible characters are escaped."""
    return visible(json.dumps(memory_json(memory), ensure_ascii=False, allow_nan=False)) + "\n"


def read_lines(data: bytes, path: str) -> Iterator[Memory]:
    """Yield the memories of an export. `id` is ignored, and all keys but `text` and `created` have defaults. Raises
    InputError with the line for anything that `line_of` would not write."""
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            yield check_memory(_memory(line))
        except UsageError as error:
            raise InputError(str(error), path=path, line=number) from None
        except (ValidationError, UnicodeEncodeError) as error:  # msgspec raises the second for a lone surrogate
            message = f"{error}; a memory is one line as `compactor memory export` writes it"
            raise InputError(message, path=path, line=number) from None


def _memory(line: bytes) -> Memory:
    """Return the memory of a line. Raises ValidationError, or UsageError for a newer version."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValidationError(f"not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise ValidationError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValidationError("not a JSON object")
    version = value.pop("memory", None)
    if version != VERSION or isinstance(version, bool):
        if isinstance(version, int) and version > VERSION:
            raise UsageError(f'"memory" is {version!r}, newer than version {VERSION}; update compactor')
        raise ValidationError(f'not a memory: "memory" must be {VERSION}, the version of the form')
    value.pop("id", None)
    return convert({**_DEFAULTS, **value}, Memory)
