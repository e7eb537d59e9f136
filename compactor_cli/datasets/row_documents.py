"""Represent a row as the JSON document that the same row would be in a JSON Lines file."""

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
"""Member names under which documents hold conversations."""
CONTEXT_NAMES = frozenset(
    key for known in FORMATS.values() for place in known.lists for key in (*place.systems, *place.beside)
)
"""Names of members that formats read next to a conversation, such as a separate system prompt."""
_ANY = "messages"
"""Name of the conversation in its document if no format knows the column's name."""


def row_document(value: Any, column: str, context: Mapping[str, Any]) -> bytes:
    """Return the document of a row. `context`: the other columns that belong to the conversation `value`."""
    document = {_key(column): value, **{name: item for name, item in context.items() if item is not None}}
    return json.dumps(document, ensure_ascii=False).encode()


def document_values(line: bytes, column: str, context: Iterable[str]) -> tuple[Any, dict[str, Any]]:
    """Return the values of a document for these columns; inverse of `row_document`."""
    document = json.loads(line)
    return document[_key(column)], {name: document[name] for name in context if name in document}


def without_nulls(value: Any) -> Any:
    """Return a value without null members, which stand for members that a message lacks."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, (list, tuple)) else value


def _key(column: str) -> str:
    return column if column in NAMES else _ANY
