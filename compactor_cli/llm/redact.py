"""Removes secrets from texts that people will read: providers repeat keys in what they complain of."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote

from compactor_cli.text.secrets import KEY_SHAPES

GONE = "[redacted]"
_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_LEAST_VALUE = 6
"""Shorter values are words such as `none` and would tear holes into any text."""
_LEAST_END = 3
"""Characters of a key before or behind a mask by which it is recognized."""
_MASK = r"(?:\*+|\.{2,}|…+|[xX]{4,})"


def redact(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the text without the values of secret variables, whole or masked, and without what looks like a key.

    Secret are variables whose name ends with KEY, TOKEN, SECRET or PASSWORD; None: those of this process.
    """
    for value in _secrets(os.environ if environment is None else environment):
        for form in {value, quote(value, safe="")}:
            text = text.replace(form, GONE)
        text = _masked(value).sub(GONE, text)
    for shape in KEY_SHAPES:
        text = shape.sub(GONE, text)
    return text


def _secrets(environment: Mapping[str, str]) -> list[str]:
    """Return values of secret variables, the longest first, so that none leaves the rest of another behind."""
    values = {value for name, value in environment.items() if name.upper().endswith(_NAMES)}
    return sorted((value for value in values if len(value) >= _LEAST_VALUE), key=len, reverse=True)


def _masked(value: str) -> re.Pattern[str]:
    """Return the first characters of a value with a mask behind them, or its last with a mask before."""
    first, last = _some(value), _some(value[::-1], backwards=True)
    return re.compile(rf"{first}{_MASK}(?:{last})?|{_MASK}{last}")


def _some(value: str, *, backwards: bool = False) -> str:
    """Return a pattern for the beginning of a value, from the least length on, as much as there is of it."""
    pattern = ""
    for char in reversed(value[_LEAST_END:16]):
        pattern = f"(?:{pattern}{re.escape(char)})?" if backwards else f"(?:{re.escape(char)}{pattern})?"
    least = value[:_LEAST_END]
    return pattern + re.escape(least[::-1]) if backwards else re.escape(least) + pattern
