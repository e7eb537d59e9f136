"""Prose -> sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from compactor_cli.text.clean import plain
from compactor_cli.text.patterns import compiled_later

ASKS = compiled_later(r"[?？؟]\W*$")
"""The end of a sentence that is a question."""
_LONGEST = 20_000
"""Characters of a paragraph that are split into sentences; the rest of a longer one is left out."""
_FENCE = compiled_later(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = compiled_later(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+")
_ENDS = compiled_later(r"[.!?。！？]")


def sentences(text: str) -> list[str]:
    """Return the sentences of a prose text, list items and headings as sentences of their own, without code blocks."""
    result: list[str] = []
    if "```" in text:
        text = _FENCE.sub("\n", text)
    for line in plain(text).splitlines():
        item = _BULLET.sub("", line).strip()
        if len(item) < 3:
            continue
        if (item.isascii() and len(item) < 60) or len(_ENDS.findall(item)) < 2:
            result.append(item[:_LONGEST])
            continue
        import sentencex  # loaded only where there is prose to split

        result.extend(s.strip() for s in _whole_code(sentencex.segment("en", item[:_LONGEST])) if len(s.strip()) > 2)
    return result


def _whole_code(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the sentences, put together again where the border fell into `code like this. Or this`."""
    open_piece = ""
    for piece in pieces:
        open_piece += piece
        if open_piece.count("`") % 2 == 0:
            yield open_piece
            open_piece = ""
    if open_piece:
        yield open_piece
