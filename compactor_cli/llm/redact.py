"""Remove secrets from texts shown to people, since providers repeat keys in error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote

from compactor_cli.text.secrets import KEY_SHAPES

REDACTED = "[redacted]"
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_MIN_SECRET_CHARS = 6
"""Shorter values are words such as `none`, whose removal would mangle any text."""
_MIN_PREFIX_CHARS = 3
"""Number of characters next to a mask that identify a masked key."""
_MASK = r"(?:\*+|\.{2,}|…+|[xX]{4,})"


def redact(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the text without the values of secret variables (names ending with KEY, TOKEN, SECRET or PASSWORD),
    complete or masked, and without anything shaped like a key. `environment`: None for this process's."""
    for value in _secrets(os.environ if environment is None else environment):
        for spelling in {value, quote(value, safe="")}:
            text = text.replace(spelling, REDACTED)
        text = _masked_pattern(value).sub(REDACTED, text)
    for shape in KEY_SHAPES:
        text = shape.sub(REDACTED, text)
    return text


def _secrets(environment: Mapping[str, str]) -> list[str]:
    """Return the values of secret variables, longest first, so that removing one never leaves part of another."""
    values = {value for name, value in environment.items() if name.upper().endswith(_SECRET_NAMES)}
    return sorted((value for value in values if len(value) >= _MIN_SECRET_CHARS), key=len, reverse=True)


def _masked_pattern(value: str) -> re.Pattern[str]:
    """Return a pattern for a masked value: its beginning and a mask, or a mask and its end."""
    first, last = _some(value), _some(value[::-1], backwards=True)
    return re.compile(rf"{first}{_MASK}(?:{last})?|{_MASK}{last}")


def _some(value: str, *, backwards: bool = False) -> str:
    """Return a pattern for the beginning of a value, from the minimum length up to as much as is present."""
    pattern = ""
    for char in reversed(value[_MIN_PREFIX_CHARS:16]):
        pattern = f"(?:{pattern}{re.escape(char)})?" if backwards else f"(?:{re.escape(char)}{pattern})?"
    least = value[:_MIN_PREFIX_CHARS]
    return pattern + re.escape(least[::-1]) if backwards else re.escape(least) + pattern
