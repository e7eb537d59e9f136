"""Text made safe to show or to quote on one line."""

from __future__ import annotations

import re

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Without terminal escapes, control characters and lone surrogates; line breaks stay."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def one_line(text: str, width: int) -> str:
    """The start of a text on one line, at most `width` characters."""
    flat = " ".join(plain(text[: 4 * width + 200]).split())
    return flat if len(flat) <= width else flat[: max(0, width - 1)].rstrip() + "…"
