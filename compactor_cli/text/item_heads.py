"""What a line of prose is shown with: the item around an item of a list, and the first row of a table, which says what
the cells of the other rows mean."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_LIST_ITEM = compiled_later(r"^([ \t]*)(?:[-*+•]|\d{1,3}[.)]) +(?=\S)")
_MAX_ITEM_CHARS = 80
"""Maximum length of an item that serves as context for the items inside it."""
_PROSE_TABLE = compiled_later(
    r"^(?:[^\n|]*… )?[ \t]*((\|[^\n]*\w[^\n]*)\n[ \t]*\|(?=[^\n]*-)[ \t:|-]+)\r?\n"
    r"((?:[ \t]*(?:\|[^\n]*|…)(?:\n|\Z))+)",
    re.MULTILINE,
)
"""A table, including the form in which a summary quotes one: with gap signs before its first row and between rows."""
_MAX_HEAD_CHARS = 160
"""Maximum length of a first row that is repeated before other rows."""


def parent_items(text: str) -> dict[int, tuple[int, int]]:
    """Map the starts of items in inner lists, after their indent, to the span of the item around them, if that is
    short. A price among the items of a flight does not say which flight it belongs to."""
    parents: dict[int, tuple[int, int]] = {}
    if "\n " not in text and "\n\t" not in text:  # most texts have no indented lines
        return parents
    open_items: list[tuple[int, int, int]] = []
    """(indent, start, end) of the open items."""
    offset = 0
    for line in text.split("\n"):
        item = _LIST_ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip():
            while open_items and open_items[-1][0] >= indent:
                open_items.pop()
        if item:
            start, end = offset + indent, offset + len(line.rstrip())
            if open_items and open_items[-1][2] - open_items[-1][1] <= _MAX_ITEM_CHARS:
                parents[start] = open_items[-1][1:]
            open_items.append((indent, start, end))
        offset += len(line) + 1
    return parents


def row_heads(text: str) -> dict[int, tuple[int, int]]:
    """Map the starts of table rows, after their indent, to the span of the first row and its rule, if that row is
    short. A price does not say which of three prices it is."""
    heads: dict[int, tuple[int, int]] = {}
    if "|\n" not in text and "|\r\n" not in text:
        return heads
    for table in _PROSE_TABLE.finditer(text):
        head = table.start(1), table.start(1) + len(table[1].rstrip())
        row_start = table.start(3)
        for row in table[3].splitlines(keepends=True) if len(table[2].rstrip()) <= _MAX_HEAD_CHARS else ():
            heads[row_start + len(row) - len(row.lstrip())] = head
            row_start += len(row)
    return heads
