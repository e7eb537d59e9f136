"""Items of nested lists: which item a line of a list belongs to."""

from __future__ import annotations

from compactor_cli.text.patterns import compiled_later

_ITEM = compiled_later(r"^([ \t]*)(?:[-*+•]|\d{1,3}[.)]) +(?=\S)")
_SHORT = 80
"""Characters of an item at most that says what the items in it are of."""


def parents_of_items(text: str) -> dict[int, tuple[int, int]]:
    """Return where items of inner lists begin, behind their blanks -> the span of the item around them, where it is
    short: a price among the items of a flight does not say of which."""
    parents: dict[int, tuple[int, int]] = {}
    if "\n " not in text and "\n\t" not in text:  # most texts: nothing in them is indented
        return parents
    around: list[tuple[int, int, int]] = []
    """The items that are open: their indent, start and end."""
    offset = 0
    for line in text.split("\n"):
        item = _ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip():
            while around and around[-1][0] >= indent:
                around.pop()
        if item:
            start, end = offset + indent, offset + len(line.rstrip())
            if around and around[-1][2] - around[-1][1] <= _SHORT:
                parents[start] = around[-1][1:]
            around.append((indent, start, end))
        offset += len(line) + 1
    return parents
