"""The marks that a compaction leaves where it cut something out of a text."""

from __future__ import annotations

from collections.abc import Iterator

from compactor_cli.text.patterns import compiled_later

GAP_MARK = compiled_later(r"\[… [\d,]+ (?:lines?|characters) left out(?: in all)?(?: · ctx_[0-9a-f]{8})?\]")


def split_at_gaps(line: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, piece) for the parts of a line between such marks; the whole line if it has none."""
    offset = 0
    for mark in GAP_MARK.finditer(line) if "left out" in line else ():
        yield offset, line[offset : mark.start()]
        offset = mark.end()
    yield offset, line[offset:]
