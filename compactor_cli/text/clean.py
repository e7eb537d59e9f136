"""Text made safe to show or to quote on one line, and both ends of a long one."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_ESCAPES = compiled_later(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_CONTROL = compiled_later(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_USUAL = bytes(range(0x20, 0x7F)) + b"\t\n"
"""What stands in most texts and nothing else."""
_COMMANDING = compiled_later(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]|\r(?!\n)"
    r"|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""What commands a terminal, turns the direction of text, is not seen or cannot be written; tabs and line breaks aside.

By Unicode: controls (Cc), line and paragraph separators (Zl, Zp), surrogates (Cs: bytes of a file's name that are no
UTF-8 are such), format characters (Cf) but for the signs of Arabic, Syriac and Kaithi, which are seen, and what else is
ignored where it is not known (Default_Ignorable_Code_Point): fillers and tags. What changes the character before it
stays: variation selectors, of ideographs behind one only.
"""
_JOINERS = "\u200c\u200d"
"""Join or part letters; what is shown without them is read just as well."""
_PICTURE = compiled_later("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")


def visible(text: str, *, joiners: bool = False) -> str:
    """Write as escapes such as `\\u001b` what commands a terminal, turns text, cannot be seen or cannot be written.
    JSON stays the same value. `joiners`: what joins or parts letters stays as it is."""
    if text.isascii() and text.isprintable():
        return text
    return _COMMANDING.sub(_escape_others if joiners else _escape, text)


def shown(text: str) -> str:
    """Return what `visible` does, for people, who miss no joiners of letters; pictures stay joined."""
    return text if text.isascii() and text.isprintable() else _COMMANDING.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    if match[0] not in _JOINERS:
        return _escape(match)
    around = match.string[max(0, match.start() - 1) : match.start()], match.string[match.end() : match.end() + 1]
    return match[0] if all(map(_PICTURE.match, around)) else ""


def _escape_others(match: re.Match[str]) -> str:
    return match[0] if match[0] in _JOINERS else _escape(match)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index : index + 2].hex()}" for index in range(0, len(units), 2))


def plain(text: str) -> str:
    """Remove terminal escapes, control characters and lone surrogates; line breaks stay."""
    if text.isascii() and not text.encode().translate(None, _USUAL):  # eight times as quick as to search
        return text
    if _CONTROL.search(text) is None:  # escapes begin with a control character, too, and so do line breaks of two
        return text
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def one_line(text: str, width: int) -> str:
    """Return the start of a text on one line, at most `width` characters."""
    flat = " ".join(plain(text[: 4 * width + 200]).split())
    return flat if len(flat) <= width else flat[: max(0, width - 1)].rstrip() + "…"


def both_ends(text: str, head: int, tail: int) -> str:
    """Return the first `head` and the last `tail` characters on lines of their own; all of a text that has no more."""
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"
