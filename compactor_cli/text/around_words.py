"""Select what to keep of a text in which certain words must stay visible: their lines, the blocks around them, then
other lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from compactor_cli.text.line_prefixes import NUMBER_PATTERN
from compactor_cli.text.patterns import compiled_later

Span = tuple[int, int]

_LINE_INDENT = compiled_later(rf"(?:{NUMBER_PATTERN})?(?P<blanks>[ \t]*)")
"""What precedes the words of a line; the number of a line is not part of the indent."""

_MAX_BESIDE_CHARS = 240
"""Maximum characters beside such words for which the rest of their line is kept."""
_BESIDE_CHARS = 80
"""Characters on each side that are kept of a longer line."""
_MAX_BLOCK_LINES = 60
"""Maximum distance, in lines, of the block around them."""
_BLOCK_SHARE = 0.5
"""Share of the remaining characters that goes to the blocks."""


class AroundWords:
    """A text in which certain words must stay visible."""

    def __init__(self, text: str, words: Iterable[Span], select_more: Callable[[int], Sequence[Span]]) -> None:
        """Take a text and the spans of the words. `select_more`: selects what else to keep, within a number of
        characters."""
        self.text, self._select_more = text, select_more
        self._starts = [0, *(index + 1 for index, sign in enumerate(text) if sign == "\n" and index + 1 < len(text))]
        self.lines = merge_spans(self._line_span(*span) for span in words)
        """Spans of the lines with the words; for long lines, the part around the words."""

    def choose(self, max_chars: int) -> list[Span]:
        """Return the spans to keep within `max_chars` characters: as many of the lines as fit, in order; then their
        blocks, within half of the rest; then what `select_more` selects."""
        kept: list[Span] = []
        for start, end in self.lines:
            if end - start <= max_chars:
                kept.append((start, end))
                max_chars -= end - start
        if len(kept) < len(self.lines):
            return kept
        block = self._block_spans(int(_BLOCK_SHARE * max_chars))
        kept = merge_spans([*kept, *block])
        max_chars -= sum(end - start for start, end in block)
        return merge_spans([*kept, *(self._select_more(max_chars) if max_chars > 0 else ())])

    def _line_span(self, start: int, end: int) -> Span:
        """Return the line or lines around a span of words, or only a part if they are long."""
        first, last = self._line_at(start), self._line_at(max(start, end - 1))
        line_start, line_end = self._starts[first], self._line_end(last)
        if start - line_start > _MAX_BESIDE_CHARS:
            line_start = self.text.find(" ", start - _BESIDE_CHARS, start) + 1 or start - _BESIDE_CHARS
        if line_end - end > _MAX_BESIDE_CHARS:
            space = self.text.rfind(" ", end, end + _BESIDE_CHARS)
            line_end = space if space > 0 else end + _BESIDE_CHARS
        return line_start, line_end

    def _line_at(self, position: int) -> int:
        return bisect_right(self._starts, position) - 1

    def _line_end(self, line: int) -> int:
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)

    def _block_spans(self, max_chars: int) -> list[Span]:
        """Return lines from the blocks around the lines with the words, nearest first, without those lines."""
        line_ranges = [(self._line_at(start), self._line_at(max(start, end - 1))) for start, end in self.lines]
        taken = {line for first, last in line_ranges for line in range(first, last + 1)}
        blocks = [(first, last, *self._block_bounds(first, last)) for first, last in line_ranges]
        spans: list[Span] = []
        for distance in range(1, _MAX_BLOCK_LINES + 1):
            for first, last, lowest, highest in blocks:
                for line in (first - distance, last + distance):
                    if line in taken or not lowest <= line <= highest:
                        continue
                    span = self._starts[line], self._line_end(line)
                    max_chars -= span[1] - span[0]
                    if max_chars < 0:
                        return spans
                    taken.add(line)
                    spans.append(span)
        return spans

    def _block_bounds(self, first: int, last: int) -> tuple[int, int]:
        """Return the first and the last line of the block: lines with at least the same indent, and the less
        indented line above them. Without an indent, the block is bounded by empty lines, and indented lines below
        the words belong to it."""
        own_indent = self._indent(first) or 0
        lowest = first
        while lowest > max(0, first - _MAX_BLOCK_LINES) and self._is_in_block(lowest - 1, own_indent):
            lowest -= 1
        lowest -= own_indent > 0 and lowest > 0 and not self._is_in_block(lowest - 1, own_indent)
        highest, last_allowed = last, min(len(self._starts) - 1, last + _MAX_BLOCK_LINES)
        while highest < last_allowed and self._is_in_block(highest + 1, own_indent):
            highest += 1
        return lowest, highest

    def _is_in_block(self, line: int, indent: int) -> bool:
        """Return whether a line belongs to the block of a line with this indent."""
        own_indent = self._indent(line)
        return indent > 0 if own_indent is None else own_indent >= indent

    def _indent(self, line: int) -> int | None:
        """Return the indent of a line; None for an empty line."""
        match = _LINE_INDENT.match(self.text, self._starts[line], self._line_end(line))
        if match is None or not self.text[match.end() : self._line_end(line)].strip():
            return None
        return len(match["blanks"])


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, merging those that touch or overlap."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        elif end > start:
            joined.append((start, end))
    return joined


def first_and_last_lines(text: str, max_chars: int, important: Collection[str] = ()) -> list[Span]:
    """Return the lines in `important` that fit in half of `max_chars` characters, and as many first and last lines as
    fit in the rest. Of lines that are too long, return the beginning or the end."""
    spans = list(_line_spans(text))
    important_spans = list(
        _spans_within((span for span in spans if text[slice(*span)].rstrip("\n") in important), max_chars // 2)
    )
    max_chars -= sum(end - start for start, end in important_spans)
    head = list(_spans_within(spans, max_chars // 2)) or [(0, min(len(text), max_chars // 2))]
    max_chars -= sum(end - start for start, end in head)
    tail = list(_spans_within(reversed(spans), max_chars)) or [(max(0, len(text) - max_chars), len(text))]
    return [*important_spans, *head, *tail]


def _line_spans(text: str) -> Iterator[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line)
        start += len(line)


def _spans_within(spans: Iterable[Span], max_chars: int) -> Iterator[Span]:
    """Yield spans in this order until the budget is used up."""
    for start, end in spans:
        max_chars -= end - start
        if max_chars < 0:
            return
        yield start, end
