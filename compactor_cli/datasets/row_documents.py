"""A row as the JSON document that the same row would be on a line of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from compactor_cli.formats import FORMATS

NAMES = tuple(
    dict.fromkeys(
        place.path[0]
        for known in FORMATS.values()
        for place in known.lists
        if len(place.path) == 1 and isinstance(place.path[0], str)
    )
)
"""Names under which documents hold conversations."""
BESIDE = frozenset(
    key for known in FORMATS.values() for place in known.lists for key in (*place.systems, *place.beside)
)
"""Names of what a format reads beside a conversation, such as a system prompt that stands apart."""
_ANY = "messages"
"""What a conversation is called in its document when its column is called like no format's."""


def line_of(value: Any, column: str, beside: Mapping[str, Any]) -> bytes:
    """Return the document of a row. `value`: what its column holds. `beside`: the columns that count as well."""
    document = {_key(column): value, **{name: item for name, item in beside.items() if item is not None}}
    return json.dumps(document, ensure_ascii=False).encode()


def values_in(line: bytes, column: str, beside: Iterable[str]) -> tuple[Any, dict[str, Any]]:
    """Return what a document holds for a column and those beside it: the inverse of `line_of`."""
    document = json.loads(line)
    return document[_key(column)], {name: document[name] for name in beside if name in document}


def without_nulls(value: Any) -> Any:
    """Return a value without the keys that are null. The rows of a column have all their keys in common, so that a key
    that a message does not have is null there."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, (list, tuple)) else value


def _key(column: str) -> str:
    return column if column in NAMES else _ANY
