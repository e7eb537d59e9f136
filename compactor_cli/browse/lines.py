"""Texts as lines of a terminal: made safe, and wrapped."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

from compactor_cli.text.clean import shown

_TAB = 4


def safe(text: str) -> str:
    """A line with nothing in it that commands a terminal or cannot be written to one."""
    if text.isascii() and text.isprintable():
        return text
    return shown(text.expandtabs(_TAB)).encode("utf-8", "backslashreplace").decode("utf-8")


def wrapped(line: str, width: int) -> Iterator[str]:
    """A line as pieces of at most so many cells, parted at blanks where there are any."""
    while cell_len(line) > width > 0:
        piece = line[:width] if line.isascii() else chop_cells(line, width)[0]
        blank = piece.rfind(" ", width // 2)
        cut = blank + 1 if blank > 0 and len(piece) < len(line) and line[len(piece)] != " " else len(piece)
        yield line[:cut].rstrip()
        line = line[cut:].removeprefix(" ") if cut == len(piece) else line[cut:]
    yield line
