"""Convert columns to JSON types and back, and rows to documents, and find the column with the conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from compactor_cli.errors import InputError, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.formats.base import Uncounted
from compactor_cli.formats.loading import load

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


_MAX_SAMPLE_ROWS = 20
"""Number of rows examined to decide whether a column holds conversations."""


def plain_type(kind: Any) -> Any:
    """Return the type in which a column is read and written. Raises InputError if JSON has none."""
    types = pa.types
    if types.is_struct(kind):
        return pa.struct([field.with_type(plain_type(field.type)) for field in map(kind.field, range(kind.num_fields))])
    if types.is_list(kind) or types.is_large_list(kind):
        field = kind.value_field.with_type(plain_type(kind.value_type))
        return pa.list_(field) if types.is_list(kind) else pa.large_list(field)
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind) or types.is_date64(kind):
        return pa.int64()
    if types.is_time32(kind) or types.is_date32(kind):
        return pa.int32()
    is_plain = types.is_integer, types.is_floating, types.is_boolean, types.is_null
    if _is_text(kind) or any(is_known(kind) for is_known in is_plain):
        return kind
    raise InputError(f"a column of type {kind} cannot hold conversations; name another one with --column")


def _is_text(kind: Any) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def to_plain(array: Any) -> Any:
    """Return a column converted to its plain type."""
    goal_type = plain_type(array.type)
    return array if array.type == goal_type else array.cast(goal_type)


def context_column_names(schema: Any, column: str) -> list[str]:
    """Return the text columns that belong to a conversation, because they have a name that formats read next to it."""
    names = [
        field.name for field in schema if field.name in CONTEXT_NAMES and field.name != column and _is_text(field.type)
    ]
    return [name for name in names if schema.names.count(name) == 1]


def find_column(batch: Any, column: str = "") -> str:
    """Return the column with conversations, named or detected. Raises UsageError for none or several."""
    names = batch.schema.names
    if column:
        if names.count(column) != 1:
            raise UsageError(f"--column {column}: no such column; the columns are {', '.join(names)}")
        plain_type(batch.schema.field(column).type)
        return column
    candidates = [name for name in dict.fromkeys(names) if names.count(name) == 1 and _has_conversations(batch, name)]
    if len(candidates) > 1:
        known_names = [name for name in NAMES if name in candidates]
        if len(known_names) == 1:
            return known_names[0]
        raise UsageError(f"several columns hold conversations: {', '.join(candidates)}; name one with --column")
    if not candidates:
        raise UsageError(
            "no column holds conversations (a list of messages, or one as JSON); name one with --column: "
            f"{', '.join(names)}"
        )
    return str(candidates[0])


def _has_conversations(batch: Any, name: str) -> bool:
    kind = batch.schema.field(name).type
    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if not (_is_text(kind) or (listed and pa.types.is_struct(kind.value_type))):
        return False
    try:
        values = to_plain(batch.column(name).drop_null().slice(0, _MAX_SAMPLE_ROWS)).to_pylist()
    except (InputError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return any(_is_conversation(value, name) for value in values)


def _is_conversation(value: Any, name: str) -> bool:
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return False
    try:
        source = load(row_document(without_nulls(value), name, {}), name, Uncounted())
    except InputError:
        return False
    return any(transcript.messages for transcript in source.transcripts)


def replace_values(array: Any, new: Mapping[int, Any]) -> tuple[Any, dict[int, str]]:
    """Return a column with new values in some rows, converted back from `to_plain`. Also return row -> reason for rows
    left unchanged because the column's type cannot hold the new value."""
    arrays, refused = _value_arrays(new, plain_type(array.type))
    if not arrays:
        return array, refused
    order = list(range(len(array)))
    for position, row in enumerate(arrays):
        order[row] = len(array) + position
    whole = pa.concat_arrays([to_plain(array), *arrays.values()]).take(pa.array(order, pa.int64()))
    return (whole if whole.type == array.type else whole.cast(array.type)), refused


def _value_arrays(new: Mapping[int, Any], kind: Any) -> tuple[dict[int, Any], dict[int, str]]:
    """Return row -> array of one element for each value that the type holds completely, and row -> reason."""
    arrays: dict[int, Any] = {}
    refused: dict[int, str] = {}
    for row, value in new.items():
        try:
            array = pa.array([value], kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            refused[row] = f"the new value does not fit the type of the column: {error}"
            continue
        if without_nulls(array.to_pylist()[0]) == without_nulls(value):
            arrays[row] = array
        else:
            refused[row] = f"the new value does not fit the type of the column: {_lost_members(kind, value)}"
    return arrays, refused


def _lost_members(kind: Any, value: Any) -> str:
    """Return which members of a list of messages the type lacks, in words."""
    items: Sequence[Any] = value if isinstance(value, list) else ()
    keys = {key for item in items if isinstance(item, dict) for key in item}
    members = {field.name for field in kind.value_type} if hasattr(kind, "value_type") else set()
    return f"it lacks {', '.join(sorted(keys - members))}" if keys - members else "a value would change"
