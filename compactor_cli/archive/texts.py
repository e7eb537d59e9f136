"""The texts that marks in an output can refer to, and how references are formed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from compactor_cli.model.message import Part
from compactor_cli.text.json_values import parse_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shorten import IMAGE_NOTE

PREFIX = "ctx_"
MIN_REFERENCE_DIGITS = 8
"""Hex digits of a reference, unless other originals of the file begin with the same ones."""
REFERENCE = compiled_later(rf"{PREFIX}([0-9a-f]{{{MIN_REFERENCE_DIGITS},64}})(?![0-9a-f])")

_MIN_TEXT_CHARS = 100
"""Strings in arguments up to this length are never cut."""


def encode(text: str) -> bytes:
    """Return the bytes of a text that its digest is computed from."""
    return text.encode("utf-8", "surrogatepass")


def digest(contents: Iterable[bytes]) -> str:
    """Return the SHA-256 of concatenated contents."""
    hashed = hashlib.sha256()
    for content in contents:
        hashed.update(content)
    return hashed.hexdigest()


def references_in(text: str) -> frozenset[str]:
    return frozenset(REFERENCE.findall(text)) if PREFIX in text else frozenset()


def originals_of(part: Part) -> Iterator[str]:
    """Yield every text of a part that may be shortened separately: the whole text, and long strings in arguments."""
    yield part.text
    if part.images:
        # a picture in a text is replaced by a note before the text is cut
        yield f"{part.text}\n{IMAGE_NOTE}".strip()
    if part.kind == "tool_call":
        yield from long_strings(arguments_of(part.text))


def arguments_of(text: str) -> Any:
    """Return the JSON value of a call's arguments; None if they are not a JSON object or list."""
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, (dict, list)) else None


def long_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) > _MIN_TEXT_CHARS:
            yield value
        return
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from long_strings(item)
