"""Prepare texts for a terminal: make them safe, and wrap them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from compactor_cli.text.clean import shown

_TAB_WIDTH = 4


def safe_line(text: str) -> str:
    """Return a line without control characters and without characters that cannot be printed."""
    if text.isascii() and text.isprintable():
        return text
    return shown(text.expandtabs(_TAB_WIDTH))


def wrap_line(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces of at most this width, split at blanks if possible. A character wider than that is a
    piece of its own."""
    start, end = 0, len(line)
    while end - start > width or cell_len(line[start:]) > width:
        piece = _fitting_start(line[start : start + max(1, width)], width)
        piece_end = start + len(piece)
        if piece_end >= end:
            break
        blank = piece.rfind(" ", width // 2)
        if line[piece_end] == " ":
            piece_end += 1
        elif blank > 0:
            piece, piece_end = piece[:blank], start + blank + 1
        yield piece.rstrip()
        start = piece_end
    yield line[start:]


def _fitting_start(text: str, width: int) -> str:
    """Return as much of a text as fits, but at least one character."""
    while len(text) > 1 and cell_len(text) > width:
        text = text[:-1]
    return text
