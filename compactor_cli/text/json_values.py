"""Parse JSON from text, limited to a nesting depth that other code can handle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import outer_spans

_decode_fast = msgspec.json.Decoder().decode
_JSON_START = compiled_later(r"\s*(?:\{\s*[\"}]|\[\s*(?:[\"{\[\]]|-?\d[\d.]*\s*,|true\b|false\b|null\b))")
_PLAIN_MEMBER = compiled_later(r'"[^"\\\n]{1,60}"\s*:\s*(?:-?\d[\d.eE+-]*|true|false|"[^"\\\n]{1,60}")')
_RECORD_LIST = compiled_later(r'"[^"\\\n]{1,60}"\s*:\s*\[\s*\{')
_PYTHON_STARTS = ("{'", "[{'")
"""How the values begin that Python prints for an object and for a list of objects."""
_PYTHON_STRING = compiled_later(r"""'(?:[^'\\]|\\.)*(?:'|\\?\Z)|"(?:[^"\\]|\\.)*(?:"|\\?\Z)""", re.DOTALL)
_NOT_PLAIN = compiled_later(r'["\\]')
_MAX_READ_CHARS = 40_000
"""Maximum length of a result in which plain members are looked for."""
MAX_DEPTH = 300
"""Maximum nesting depth of lists and objects. Sessions have about a dozen levels. Code that walks a value uses up to
three frames per level, out of the 1,000 that Python allows."""


def json_value(text: str | bytes) -> Any:
    """Return what `json.loads` returns for a JSON text, in a third of the time, and raise what it raises.

    msgspec accepts less than Python (no NaN, no lone surrogate), and reads what it accepts in the same way.
    """
    try:
        return _decode_fast(text)
    except ValueError:
        return json.loads(text)


def utf8_value(data: bytes) -> Any:
    """Return what `json_value` returns for JSON in UTF-8, usually without decoding it as a whole. Raises ValueError
    also for invalid UTF-8."""
    try:
        return _decode_fast(data)
    except ValueError:
        return json.loads(data.decode("utf-8"))


def parse_json(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError for invalid JSON, or if it is nested deeper than MAX_DEPTH."""
    try:
        value = json_value(text)
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None
    if is_nested_too_deeply(text, value):
        raise ValueError("nested too deeply to be read")
    return value


def looks_like_json(text: str) -> bool:
    """Return whether a text begins like a JSON object or list; `[12] a line` does not."""
    return _JSON_START.match(text) is not None


def without_blanks(text: str) -> str:
    """Return a one-line JSON text without whitespace between its tokens, which saves a fifth of the tokens. Other
    texts, and JSON on several lines, are returned unchanged."""
    if text[:1] not in ("{", "[") or not (": " in text or ", " in text) or "\n" in text.rstrip("\n"):
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return text


def on_one_line(text: str) -> str:
    """Return JSON that is printed over several lines on one line, without whitespace between its tokens. A record is
    then on one line, rather than one value per line. Other texts are returned unchanged."""
    if "\n" not in text or not looks_like_json(text) or text.rstrip()[-1:] not in ("}", "]"):
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return text


def is_nested_too_deeply(text: str | bytes, value: Any, limit: int = MAX_DEPTH) -> bool:
    """Return whether a value, read from this text, is nested deeper than `limit` levels."""
    if len(text) <= 2 * limit:  # a value of that depth has more brackets
        return False
    level = [value]
    for _ in range(limit):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:  # walking the few values of a record costs less than counting its brackets
            return False
        level = [member for outer in containers for member in (outer.values() if isinstance(outer, dict) else outer)]
    return any(isinstance(item, (dict, list)) for item in level)


def leaves(value: object) -> Iterator[object]:
    """Yield everything in a value but lists and objects, at any depth, in order."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value


def is_scalar(value: object) -> bool:
    """Return whether a value is a string or an integer."""
    return isinstance(value, str | int) and not isinstance(value, bool)


@cache_by_text
def json_or_text(text: str) -> Any:
    """Return the JSON value of a text, which must not be modified; or the text itself if it is not JSON."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def plain_members(text: str) -> list[tuple[int, int]]:
    """Return the spans of an object's own numbers, strings and booleans, such as totals, if it also has a list of
    records."""
    if len(text) > _MAX_READ_CHARS:
        return []
    members = [*outer_spans(text)]
    if not any(_RECORD_LIST.match(text, start, end) for start, end in members):
        return []
    return [(start, end) for start, end in members if _PLAIN_MEMBER.fullmatch(text, start, end)]


def python_as_json(text: str) -> str:
    """Return a value that Python printed as JSON, every character at its place; other texts unchanged."""
    if not text.lstrip().startswith(_PYTHON_STARTS):
        return text
    return _PYTHON_STRING.sub(lambda found: f'"{_NOT_PLAIN.sub("_", found[0][1:-1])}"'[: len(found[0])], text)
