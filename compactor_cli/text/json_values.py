"""JSON that is read from a text, nested no deeper than what works on it can follow."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later

_FAST = msgspec.json.Decoder().decode
_BEGINS = compiled_later(r"\s*(?:\{\s*[\"}]|\[\s*(?:[\"{\[\]]|-?\d[\d.]*\s*,|true\b|false\b|null\b))")
MAX_DEPTH = 300
"""Levels of lists and objects inside each other. Sessions have a dozen; what walks a value takes up to three frames
a level, of the 1,000 that Python allows."""


def json_value(text: str | bytes) -> Any:
    """Return what `json.loads` makes of a JSON text, in a third of the time. Raises what it raises.

    msgspec takes less than Python does (no NaN, no half of a letter) and reads what it takes in the same way.
    """
    try:
        return _FAST(text)
    except ValueError:
        return json.loads(text)


def utf8_value(data: bytes) -> Any:
    """Return what `json_value` makes of a JSON text in UTF-8, which most often needs not be decoded as a whole. Raises
    ValueError for what is no UTF-8, too."""
    try:
        return _FAST(data)
    except ValueError:
        return json.loads(data.decode("utf-8"))


def parse_json(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError for what is no JSON, or nested deeper than MAX_DEPTH."""
    try:
        value = json_value(text)
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None
    if nested_too_deeply(text, value):
        raise ValueError("nested too deeply to be read")
    return value


def begins_as_json(text: str) -> bool:
    """Return whether a text begins as an object or a list of JSON does; `[12] a line` does not."""
    return _BEGINS.match(text) is not None


def without_blanks(text: str) -> str:
    """Return a JSON text on one line without the blanks between its tokens, a fifth fewer tokens; other texts, and JSON
    of several lines, as they are."""
    if text[:1] not in ("{", "[") or not (": " in text or ", " in text) or "\n" in text.rstrip("\n"):
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return text


def on_one_line(text: str) -> str:
    """Return JSON that is printed over several lines on one line, without the blanks between its tokens: a record
    stands side by side then, and not one value a line. Other texts as they are."""
    if "\n" not in text or not begins_as_json(text) or text.rstrip()[-1:] not in ("}", "]"):
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return text


def nested_too_deeply(text: str | bytes, value: Any, limit: int = MAX_DEPTH) -> bool:
    """Return whether a value, read from this text, is nested deeper than `limit` levels."""
    if len(text) <= 2 * limit:  # a value of that depth has more brackets
        return False
    level = [value]
    for _ in range(limit):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:  # looking through the few values of a record costs less than counting its brackets
            return False
        level = [member for outer in containers for member in (outer.values() if isinstance(outer, dict) else outer)]
    return any(isinstance(item, (dict, list)) for item in level)


def is_scalar(value: object) -> bool:
    """Return whether a value is a string or a whole number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


@remembered
def json_or_text(text: str) -> Any:
    """Return the JSON value of a text, which nobody may change; the text itself where it is no JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return text
