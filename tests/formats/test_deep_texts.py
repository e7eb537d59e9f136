"""JSON in the strings of records, nested deeper than Python follows: it counts as any other text."""

from __future__ import annotations

import json

import pytest

from compactor_cli.errors import CompactorError
from tests.builders import compact
from tests.formats.roundtrip import CASES

FILES = sorted(path for path in CASES.rglob("*.json*") if path.is_file())


def with_deep_strings(value, depth):
    """Return a value whose strings of JSON are nested so deep, around what they are."""
    if isinstance(value, dict):
        return {key: with_deep_strings(item, depth) for key, item in value.items()}
    if isinstance(value, list):
        return [with_deep_strings(item, depth) for item in value]
    if not isinstance(value, str) or value[:1] not in ('"', "{", "[") or value[-1:] not in ('"', "}", "]"):
        return value
    return '{"a":' + "[" * depth + value + "]" * depth + "}"


@pytest.mark.drawn(30)
@pytest.mark.parametrize("depth", [700, 20_000])
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_deep_json_in_strings_is_read_and_compacted_as_text(path, depth):
    text = path.read_text()
    try:
        values, whole = [json.loads(text)], True
    except ValueError:
        values, whole = [json.loads(line) for line in text.splitlines() if line.strip()], False
    deep = [with_deep_strings(value, depth) for value in values]
    data = json.dumps(deep[0]) if whole else "".join(json.dumps(value) + "\n" for value in deep)
    if deep == values:
        return
    try:
        compact(data.encode(), target_ratio=0.3)
    except CompactorError as refused:
        assert str(refused)  # in words: a string that holds the session itself, or no room
