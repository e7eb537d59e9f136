"""What surrounds a quoted line in its text: indentation, line numbers, the user's reply, and whether more follows."""

from __future__ import annotations

from compactor_cli.features.session_text import SessionPiece
from compactor_cli.model.replies import reply_span
from compactor_cli.summary_text.excerpts import GAP
from compactor_cli.text.json_values import looks_like_json
from compactor_cli.text.line_prefixes import has_ascending_numbers, has_number, without_numbers
from compactor_cli.text.patterns import compiled_later

_KEY = compiled_later(r"[{,]?\s*[\"'][^\"']*[\"']\s*:")
_NEXT = compiled_later(r"\s*,")
_NEXT_RECORD = compiled_later(r"[}\]]\s*,\s*[{\[]")
_WORD = compiled_later(r"\w{2}")


def unnumbered(indent: str, text: str) -> tuple[str, str]:
    """Return the indentation of a text, and the text without the line numbers that a tool added. If the numbers skip
    lines that an earlier round left out, a gap is marked there."""
    without = without_numbers(text, GAP if "\n" in text and has_ascending_numbers(text) else "")
    return indented(without) if has_number(text) else (indent, without)


def indented(text: str) -> tuple[str, str]:
    """Return the blanks before a text, and the text."""
    stripped = text.lstrip(" \t")
    return text[: len(text) - len(stripped)], stripped


def is_reply(piece: SessionPiece, end: int) -> bool:
    """Return whether what ends at `end` of a result is the user's reply."""
    words = reply_span(piece.text)
    return words is not None and words[0] < end


def begins_reply(piece: SessionPiece, start: int) -> bool:
    """Return whether the user's words in a result begin at `start`."""
    words = reply_span(piece.text) if piece.line_cut == "apart" else None
    return words is not None and words[0] == start


def goes_on(piece: SessionPiece, start: int, end: int) -> bool:
    """Return whether more words follow on the same line after a quote, or more records of a JSON list: the quote could
    be mistaken for all of it. Other members of JSON objects may end there."""
    if piece.is_call:
        return False
    if not piece.is_speech and looks_like_json(piece.text):
        listed = _KEY.match(piece.text, start, end) is None and _NEXT.match(piece.text, end) is not None
        return listed or _NEXT_RECORD.search(piece.text, end) is not None
    stop = piece.text.find("\n", end)
    return _WORD.search(piece.text, end, stop if stop >= 0 else len(piece.text)) is not None


def at_margin(text: str, start: int) -> bool:
    """Return whether a line of a summary begins at the margin, where only marks do."""
    return start == 0 or text[start - 1] == "\n"
