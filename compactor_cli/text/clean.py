"""Make text safe to show, or to quote on one line; and take both ends of a long text."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_ESCAPES = compiled_later(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_COLOUR = compiled_later(r"(?:\x1b|\\u001[bB])\[[0-9;]*m")
"""A code that sets the colour of what follows, also as it is written in JSON."""
_CONTROL = compiled_later(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_COMMON_BYTES = bytes(range(0x20, 0x7F)) + b"\t\n"
"""The only characters in most texts."""
_CONTROLLING = compiled_later(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]|\r(?!\n)"
    r"|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""Characters that control a terminal, change the direction of text, are invisible, or cannot be encoded, except tabs
and line breaks.

In Unicode terms: controls (Cc), line and paragraph separators (Zl, Zp), and surrogates (Cs), which include bytes of
file names that are not UTF-8. Also format characters (Cf), except the visible signs of Arabic, Syriac and Kaithi,
and other characters that are ignored if unknown (Default_Ignorable_Code_Point), such as fillers and tags. Variation
selectors, which modify the previous character, are not included; those for ideographs only if they follow one.
"""
_JOINERS = "\u200c\u200d"
"""These join or separate letters; text without them is just as readable."""
_PICTOGRAPH = compiled_later("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")


def visible(text: str, *, joiners: bool = False) -> str:
    """Replace characters that control a terminal, change text direction, are invisible or cannot be encoded by
    escapes such as `\\u001b`. The value of JSON does not change. `joiners`: leave characters that join or separate
    letters as they are."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLLING.sub(_escape_others if joiners else _escape, text)


def shown(text: str) -> str:
    """Return the text of `visible` for human readers: letters need no joiners, but pictures stay joined."""
    return text if text.isascii() and text.isprintable() else _CONTROLLING.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    if match[0] not in _JOINERS:
        return _escape(match)
    around = match.string[max(0, match.start() - 1) : match.start()], match.string[match.end() : match.end() + 1]
    return match[0] if all(map(_PICTOGRAPH.match, around)) else ""


def _escape_others(match: re.Match[str]) -> str:
    return match[0] if match[0] in _JOINERS else _escape(match)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index : index + 2].hex()}" for index in range(0, len(units), 2))


def plain(text: str) -> str:
    """Remove terminal escapes, control characters and lone surrogates; line breaks stay."""
    if text.isascii() and not text.encode().translate(None, _COMMON_BYTES):  # eight times as fast as a search
        return text
    if _CONTROL.search(text) is None:  # escapes and two-character line breaks also begin with a control character
        return text
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def without_colours(text: str) -> str:
    """Return the output of a program without the codes that set colours. They hide how its lines begin."""
    return _COLOUR.sub("", text) if "\x1b[" in text or "\\u001" in text else text


def one_line(text: str, width: int) -> str:
    """Return the start of a text on one line, at most `width` characters."""
    return cut_to_width(" ".join(plain(text[: 4 * width + 200]).split()), width)


def cut_to_width(text: str, width: int) -> str:
    """Return a text, cut to at most `width` characters with one gap sign at the end if it is longer."""
    return text if len(text) <= width else text[: max(0, width - 1)].rstrip("… ") + "…"


def both_ends(text: str, head: int, tail: int) -> str:
    """Return the first `head` and the last `tail` characters on separate lines, or the whole text if it is not
    longer."""
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"
