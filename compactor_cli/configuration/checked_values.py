"""Check a value of a setting, or parse it from text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from compactor_cli.configuration.keys import Key
from compactor_cli.errors import meant
from compactor_cli.text.paths import mask_address
from compactor_cli.text.quantities import count_in, share_in
from compactor_cli.text.times import parse_time

_TRUTH_WORDS = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off"), False)}
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_KIND_NOUNS = {int: "a whole number", float: "a number", str: "a text"}
_KIND_PLURALS = {int: "whole numbers", float: "numbers", str: "texts"}


def describe_allowed(key: Key) -> str:
    """Return a description of what a key allows: `a number from 0 to 1`."""
    if key.kind is bool:
        return "true or false"
    if key.choices:
        choices = ", ".join(choice for choice in key.choices if choice)
        return f"one of {choices}" + (", or empty" if "" in key.choices else "")
    if key.form == "time":
        return "a time such as 2026-03-01T12:00:00Z, or seconds since 1970"
    if key.form == "pattern":
        return "a list of regular expressions"
    if key.form == "path":
        return "the path of a file, or empty"
    words = _KIND_NOUNS[key.kind]
    if key.many:
        count = f"{key.length} " if key.length else ""
        words = f"a list of {count}{'rising ' if key.form == 'rising' else ''}{_KIND_PLURALS[key.kind]}"
    if key.minimum is not None and key.maximum is not None:
        return f"{words} from {key.minimum:g} to {key.maximum:g}"
    return words if key.minimum is None else f"{words} of at least {key.minimum:g}"


def check_value(key: Key, value: Any) -> Any:
    """Return the value in the form that the settings use. Raises ValueError with a description of what is allowed."""
    if value is None and key.optional:
        return None
    if key.many:
        return _check_list(key, value)
    return _check_single(key, value)


def parse_value(key: Key, text: str) -> Any:
    """Return the value for a text: a list is JSON or separated by commas, tokens may be 4k, shares 25%. Raises
    ValueError."""
    if not key.many:
        return check_value(key, _parse_plain(key, text))
    value = _parse_array(text)
    if value is None:
        items = [item.strip() for item in _split_items(key, text)] if text.strip() else []
        value = [_parse_plain(key, item) for item in items]
    return check_value(key, value)


def display_value(value: Any) -> str:
    """Return a value for display: `true`, `0.2`, `[10, 25, 50]`, a text without quotes. An unset value is empty."""
    if value is None:
        return ""
    return mask_address(value) if isinstance(value, str) else notation_of(value)


def notation_of(value: Any) -> str:
    """Return a value in a notation that is valid in both TOML and YAML."""
    if isinstance(value, float) and math.isfinite(value):
        return format(Decimal(repr(value)), "f")  # YAML reads 1e-05 as a text
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(notation_of, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def timestamp_of(value: Any) -> float | None:
    """Return the seconds since 1970 for a number, an ISO 8601 text or a date; None if the value is not a time."""
    if isinstance(value, (datetime, date)):
        return parse_time(value.isoformat())
    if isinstance(value, str) and value.replace(".", "", 1).isdigit():
        return parse_time(float(value))
    return parse_time(value)


def _check_single(key: Key, value: Any) -> Any:
    if key.form == "time":
        seconds = timestamp_of(value)
        if seconds is None:
            raise _error_for(key)
        return seconds
    if not _has_type(key.kind, value) or (key.choices and value not in key.choices) or not _check_range(key, value):
        raise _error_for(key, value)
    return value


def _check_list(key: Key, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or (key.length and len(value) != key.length):
        raise _error_for(key)
    if not all(_has_type(key.kind, item) and _check_range(key, item) for item in value):
        raise _error_for(key)
    if key.form == "rising" and list(value) != sorted(value):
        raise _error_for(key)
    for item in value if key.form == "pattern" else ():
        try:
            re.compile(item)
        except re.error as error:
            raise ValueError(f"{item!r} is not a regular expression: {error}") from None
    return tuple(value)


def _has_type(kind: type, value: Any) -> bool:
    """Return whether a value has this type. Booleans are not numbers, and an int is accepted as a float."""
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, (int, float)) and math.isfinite(value)
    return isinstance(value, kind)


def _check_range(key: Key, value: Any) -> bool:
    if isinstance(value, str):
        return True
    return not ((key.minimum is not None and value < key.minimum) or (key.maximum is not None and value > key.maximum))


def _parse_plain(key: Key, text: str) -> Any:
    """Return a value parsed from text, or the text itself, for `check_value` to reject."""
    if key.kind is bool:
        return _TRUTH_WORDS.get(text.strip().lower(), text)
    if key.kind is str or key.form == "time" or not text.isascii():
        return text
    if key.form == "tokens":
        return count_in(text) or text
    if key.is_share:
        share = share_in(text)
        return text if share is None else share
    try:
        return int(text) if key.kind is int else float(text)
    except ValueError:
        return text


def _split_items(key: Key, text: str) -> list[str]:
    """Return the items between commas. For patterns, commas that are escaped or inside brackets do not separate."""
    if key.form != "pattern":
        return text.split(",")
    items, open_brackets, escaped = [""], "", False
    for letter in text:
        if letter == "," and not open_brackets and not escaped:
            items.append("")
            continue
        items[-1] += letter
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter in _BRACKETS and not open_brackets.endswith("]"):
            open_brackets += _BRACKETS[letter]
        elif open_brackets.endswith(letter):
            open_brackets = open_brackets[:-1]
    return text.split(",") if open_brackets else items


def _parse_array(text: str) -> list[Any] | None:
    """Return a JSON array; None for anything else, such as a pattern that begins with a bracket."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _error_for(key: Key, value: Any = None) -> ValueError:
    near = meant(value, key.choices) if isinstance(value, str) else ""
    return ValueError(f"must be {describe_allowed(key)}{near}")
