"""Text made safe to show or to quote on one line."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_ESCAPES = compiled_later(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_CONTROL = compiled_later(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_COMMANDING = compiled_later(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f]|\r(?!\n)"
)
"""What commands a terminal, turns the direction of text or is not seen; tabs and line breaks aside."""
_JOINERS = "\u200c\u200d"
"""Join or part letters; what is shown without them is read just as well."""
_PICTURE = compiled_later("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")


def visible(text: str) -> str:
    """With what commands a terminal, turns text or cannot be seen as escapes such as `\\u001b`. JSON stays the same
    value."""
    if text.isascii() and text.isprintable():
        return text
    return _COMMANDING.sub(_escape, text)


def shown(text: str) -> str:
    """The same for people, who miss no joiners of letters; pictures stay joined."""
    return text if text.isascii() and text.isprintable() else _COMMANDING.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    if found[0] not in _JOINERS:
        return _escape(found)
    around = found.string[max(0, found.start() - 1) : found.start()], found.string[found.end() : found.end() + 1]
    return found[0] if all(map(_PICTURE.match, around)) else ""


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def plain(text: str) -> str:
    """Without terminal escapes, control characters and lone surrogates; line breaks stay."""
    if _CONTROL.search(text) is None:  # escapes begin with a control character, too, and so do line breaks of two
        return text
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def one_line(text: str, width: int) -> str:
    """The start of a text on one line, at most `width` characters."""
    flat = " ".join(plain(text[: 4 * width + 200]).split())
    return flat if len(flat) <= width else flat[: max(0, width - 1)].rstrip() + "…"
