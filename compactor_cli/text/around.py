"""Select what to keep of a text in which certain words must stay visible: their lines, the blocks around them, then
other lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from compactor_cli.text.line_prefixes import NUMBERED
from compactor_cli.text.patterns import compiled_later

Span = tuple[int, int]

_INDENT = compiled_later(rf"(?:{NUMBERED})?(?P<blanks>[ \t]*)")
"""What precedes the words of a line; the number of a line is not part of the indent."""

_LINE = 240
"""Maximum characters beside such words for which the rest of their line is kept."""
_BESIDE = 80
"""Characters on each side that are kept of a longer line."""
_FARTHEST = 60
"""Maximum distance, in lines, of the block around them."""
_BLOCK = 0.5
"""Share of the remaining characters that goes to the blocks."""


class AroundWords:
    """A text in which certain words must stay visible."""

    def __init__(self, text: str, words: Iterable[Span], further: Callable[[int], Sequence[Span]]) -> None:
        """Take a text and the spans of the words. `further`: selects what else to keep, within a number of
        characters."""
        self.text, self._further = text, further
        self._starts = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n" and at + 1 < len(text))]
        self.lines = union(self._with_line(*span) for span in words)
        """Spans of the lines with the words; for long lines, the part around the words."""

    def choose(self, room: int) -> list[Span]:
        """Return the spans to keep within `room` characters: as many of the lines as fit, in order; then their
        blocks, within half of the rest; then what `further` selects."""
        kept: list[Span] = []
        for start, end in self.lines:
            if end - start <= room:
                kept.append((start, end))
                room -= end - start
        if len(kept) < len(self.lines):
            return kept
        block = self._block(int(_BLOCK * room))
        kept = union([*kept, *block])
        room -= sum(end - start for start, end in block)
        return union([*kept, *(self._further(room) if room > 0 else ())])

    def _with_line(self, start: int, end: int) -> Span:
        """Return the line or lines around a span of words, or only a part if they are long."""
        first, last = self._line_of(start), self._line_of(max(start, end - 1))
        begin, stop = self._starts[first], self._end(last)
        if start - begin > _LINE:
            begin = self.text.find(" ", start - _BESIDE, start) + 1 or start - _BESIDE
        if stop - end > _LINE:
            space = self.text.rfind(" ", end, end + _BESIDE)
            stop = space if space > 0 else end + _BESIDE
        return begin, stop

    def _line_of(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _end(self, line: int) -> int:
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)

    def _block(self, room: int) -> list[Span]:
        """Return lines from the blocks around the lines with the words, nearest first, without those lines."""
        around = [(self._line_of(start), self._line_of(max(start, end - 1))) for start, end in self.lines]
        taken = {line for first, last in around for line in range(first, last + 1)}
        blocks = [(first, last, *self._bounds(first, last)) for first, last in around]
        found: list[Span] = []
        for distance in range(1, _FARTHEST + 1):
            for first, last, lowest, highest in blocks:
                for line in (first - distance, last + distance):
                    if line in taken or not lowest <= line <= highest:
                        continue
                    span = self._starts[line], self._end(line)
                    room -= span[1] - span[0]
                    if room < 0:
                        return found
                    taken.add(line)
                    found.append(span)
        return found

    def _bounds(self, first: int, last: int) -> tuple[int, int]:
        """Return the first and the last line of the block: lines with at least the same indent, and the less
        indented line above them. Without an indent, the block is bounded by empty lines, and indented lines below
        the words belong to it."""
        own = self._indent(first) or 0
        lowest = first
        while lowest > max(0, first - _FARTHEST) and self._is_of(lowest - 1, own):
            lowest -= 1
        lowest -= own > 0 and lowest > 0 and not self._is_of(lowest - 1, own)
        highest, most = last, min(len(self._starts) - 1, last + _FARTHEST)
        while highest < most and self._is_of(highest + 1, own):
            highest += 1
        return lowest, highest

    def _is_of(self, line: int, indent: int) -> bool:
        """Return whether a line belongs to the block of a line with this indent."""
        own = self._indent(line)
        return indent > 0 if own is None else own >= indent

    def _indent(self, line: int) -> int | None:
        """Return the indent of a line; None for an empty line."""
        match = _INDENT.match(self.text, self._starts[line], self._end(line))
        if match is None or not self.text[match.end() : self._end(line)].strip():
            return None
        return len(match["blanks"])


def union(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, merging those that touch or overlap."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif end > start:
            joined.append((start, end))
    return joined


def first_and_last_lines(text: str, room: int, telling: Collection[str] = ()) -> list[Span]:
    """Return the lines in `telling` that fit in half of `room` characters, and as many first and last lines as fit
    in the rest. Of lines that are too long, return the beginning or the end."""
    spans = list(_lines(text))
    told = list(_fitting((span for span in spans if text[slice(*span)].rstrip("\n") in telling), room // 2))
    room -= sum(end - start for start, end in told)
    head = list(_fitting(spans, room // 2)) or [(0, min(len(text), room // 2))]
    room -= sum(end - start for start, end in head)
    tail = list(_fitting(reversed(spans), room)) or [(max(0, len(text) - room), len(text))]
    return [*told, *head, *tail]


def _lines(text: str) -> Iterator[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _fitting(spans: Iterable[Span], room: int) -> Iterator[Span]:
    """Yield spans in this order until the budget is used up."""
    for start, end in spans:
        room -= end - start
        if room < 0:
            return
        yield start, end
